package config

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	yaml "github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds on one document. They keep a hostile or mistaken file from costing more than a fraction of a second: the YAML parser
// recurses over nesting and is not linear in it.
const (
	maxBytes   = 1 << 20
	maxNesting = 32
)

type kind uint8

const (
	kindNull kind = iota
	kindScalar
	kindMapping
	kindSequence
)

func (k kind) String() string {
	return [...]string{"nothing", "a single value", "a section", "a list"}[k]
}

// A value is one YAML node, reduced to what configuration needs: no anchors, tags, merges or comments.
type value struct {
	kind   kind
	text   string // of a scalar
	quoted bool   // a scalar that is text whatever it looks like
	line   int    // counted from 1
	fields []field
	items  []*value
}

// A field is one key of a mapping, in file order. Keys may repeat here; the decoder reports that.
type field struct {
	key   string
	line  int
	value *value
}

// A syntaxError is a fault found before any key could be looked at.
type syntaxError struct {
	line int
	text string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

// parse reads one YAML document. A document without content is an empty mapping.
func parse(data []byte) (*value, *syntaxError) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(data) > maxBytes {
		return nil, &syntaxError{1, fmt.Sprintf("the file has %d bytes, more than the %d allowed: split it", len(data), maxBytes)}
	}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) {
			return nil, &syntaxError{i + 1, "not UTF-8: save the file as UTF-8"}
		}
	}
	tokens := lexer.Tokenize(string(data))
	if err := checkTokens(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, fromParser(err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, &syntaxError{line(doc.Body), "a second document: keep one document in a file"}
		}
		body = doc.Body
	}
	if body == nil {
		return &value{kind: kindMapping, line: 1}, nil
	}
	return convert(body)
}

func fromParser(err error) *syntaxError {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil && syntax.Token.Position != nil {
		return &syntaxError{syntax.Token.Position.Line, syntax.Message}
	}
	return &syntaxError{1, err.Error()}
}

// checkTokens refuses what configuration does not use, and nesting deep enough to strain the parser.
func checkTokens(tokens token.Tokens) *syntaxError {
	flow, entries, entryLine := 0, 0, 0
	for _, tk := range tokens {
		at := tk.Position.Line
		switch tk.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return &syntaxError{at, "anchors, aliases and merges are not supported: write the value out"}
		case token.TagType:
			return &syntaxError{at, "tags are not supported: remove " + tk.Value}
		case token.DirectiveType:
			return &syntaxError{at, "directives are not supported: remove the line"}
		case token.MappingKeyType:
			return &syntaxError{at, "'?' keys are not supported: write key: value"}
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType:
			if at != entryLine {
				entries, entryLine = 0, at
			}
			entries++
		default:
		}
		if flow > maxNesting || entries > maxNesting {
			return &syntaxError{at, fmt.Sprintf("nested more than %d levels deep: simplify it", maxNesting)}
		}
	}
	return nil
}

func line(n ast.Node) int {
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		return tk.Position.Line
	}
	return 1
}

func convert(n ast.Node) (*value, *syntaxError) {
	switch n := n.(type) {
	case *ast.NullNode:
		return &value{kind: kindNull, line: line(n)}, nil
	case *ast.LiteralNode:
		return &value{kind: kindScalar, text: n.Value.Value, quoted: true, line: line(n)}, nil
	case *ast.StringNode:
		quoted := n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
		return &value{kind: kindScalar, text: n.Value, quoted: quoted, line: line(n)}, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return &value{kind: kindScalar, text: n.GetToken().Value, line: line(n)}, nil
	case *ast.MappingValueNode:
		return convertMapping(n, []*ast.MappingValueNode{n})
	case *ast.MappingNode:
		return convertMapping(n, n.Values)
	case *ast.SequenceNode:
		out := &value{kind: kindSequence, line: line(n)}
		for _, item := range n.Values {
			v, err := convert(item)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, v)
		}
		return out, nil
	default:
		return nil, &syntaxError{line(n), "this kind of YAML is not supported here"}
	}
}

func convertMapping(n ast.Node, pairs []*ast.MappingValueNode) (*value, *syntaxError) {
	out := &value{kind: kindMapping, line: line(n)}
	for _, pair := range pairs {
		key := pair.Key.GetToken().Value
		if s, ok := pair.Key.(*ast.StringNode); ok {
			key = s.Value
		}
		v, err := convert(pair.Value)
		if err != nil {
			return nil, err
		}
		out.fields = append(out.fields, field{key: key, line: line(pair.Key), value: v})
	}
	return out, nil
}
