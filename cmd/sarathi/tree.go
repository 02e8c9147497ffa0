package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const (
	shownElements = 12  // of a list
	shownLetters  = 160 // of a text
	lineLetters   = 60  // of an object that goes on one line
)

// tree prints JSON the way people read messages: one field a line, lists of numbers and small objects on one, and long lists and
// texts cut unless full is set. Numbers keep their digits and fields their order.
type tree struct {
	w    io.Writer
	full bool
}

// value is one JSON value: an object (keys and items), a list (items), or text as it stands in the JSON.
type value struct {
	kind  byte // '{', '[' or 0
	text  string
	keys  []string
	items []value
}

// print prints one JSON document.
func (t tree) print(document []byte) error {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	v, err := parseValue(d)
	if err != nil {
		return fmt.Errorf("the robot sent what is no JSON: %w", err)
	}
	if v.kind == 0 || len(v.items) == 0 {
		fmt.Fprintln(t.w, t.inline(v))
		return nil
	}
	t.block(v, "")
	return nil
}

func parseValue(d *json.Decoder) (value, error) {
	token, err := d.Token()
	if err != nil {
		return value{}, err
	}
	delim, nested := token.(json.Delim)
	if !nested {
		return scalar(token)
	}
	v := value{kind: byte(delim)}
	for d.More() {
		if delim == '{' {
			if token, err = d.Token(); err != nil {
				return value{}, err
			}
			v.keys = append(v.keys, fmt.Sprint(token))
		}
		var item value
		if item, err = parseValue(d); err != nil {
			return value{}, err
		}
		v.items = append(v.items, item)
	}
	_, err = d.Token()
	return v, err
}

func scalar(token json.Token) (value, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(token)
	return value{text: strings.TrimSuffix(b.String(), "\n")}, err
}

// block prints the items of an object or list on lines of their own.
func (t tree) block(v value, indent string) {
	shown := len(v.items)
	if v.kind == '[' && !t.full {
		shown = min(shown, shownElements)
	}
	for i, item := range v.items[:shown] {
		label := "-"
		if v.kind == '{' {
			label = v.keys[i] + ":"
		}
		if t.fits(item) {
			fmt.Fprintf(t.w, "%s%s %s\n", indent, label, t.inline(item))
			continue
		}
		if v.kind == '[' {
			t.element(item, indent)
			continue
		}
		fmt.Fprintf(t.w, "%s%s\n", indent, label)
		t.block(item, indent+"  ")
	}
	if rest := len(v.items) - shown; rest > 0 {
		fmt.Fprintf(t.w, "%s… %d more\n", indent, rest)
	}
}

// element prints an element of a list that takes several lines, the mark of the list before the first.
func (t tree) element(v value, indent string) {
	var b strings.Builder
	tree{&b, t.full}.block(v, indent+"  ")
	fmt.Fprint(t.w, indent, "- ", strings.TrimPrefix(b.String(), indent+"  "))
}

// fits reports whether a value goes on the line of its label: texts, numbers, and lists and small objects of those.
func (t tree) fits(v value) bool {
	for _, i := range v.items {
		if i.kind != 0 {
			return false
		}
	}
	return v.kind != '{' || len([]rune(t.inline(v))) <= lineLetters
}

func (t tree) inline(v value) string {
	switch v.kind {
	case '{':
		parts := make([]string, len(v.items))
		for i, item := range v.items {
			parts[i] = v.keys[i] + ": " + t.inline(item)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		parts := make([]string, 0, shownElements+1)
		for i, item := range v.items {
			if i == shownElements && !t.full {
				parts = append(parts, fmt.Sprintf("… %d more", len(v.items)-i))
				break
			}
			parts = append(parts, t.inline(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return t.cut(v.text)
	}
}

func (t tree) cut(text string) string {
	letters := []rune(text)
	if t.full || len(letters) <= shownLetters {
		return text
	}
	return fmt.Sprintf("%s… %d letters more", string(letters[:shownLetters]), len(letters)-shownLetters)
}
