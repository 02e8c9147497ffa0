package idl

import (
	"errors"
	"fmt"
	"strings"
)

// maxDefinitions bounds the definitions of one full text.
const maxDefinitions = 512

// ParseFullText reads a definition text with its dependencies, as [Type].Definition holds it and as bags and network
// clients carry it: texts separated by lines of 80 '=', each but the first after a line "MSG: package/Type". name is that of the
// first definition, "package/Type" or "package/msg/Type". All limits of this package apply, so the text may come from anywhere.
func ParseFullText(dialect Dialect, name, text string) (*Set, *Definition, error) {
	if len(text) > maxText {
		return nil, nil, &ParseError{Path: name, What: fmt.Sprintf("definition text of %d bytes is longer than %d", len(text), maxText)}
	}
	var defs []*Definition
	var errs []error
	add := func(name, text string) {
		pkg, typ, ok := cutTypeName(name)
		if !ok {
			errs = append(errs, &ParseError{Path: shortName(name), What: "bad type name: write package/Type"})
			return
		}
		parsed, err := Parse(Source{Dialect: dialect, Package: pkg, Kind: "msg", Name: typ, Path: pkg + "/" + typ, Text: text})
		if err != nil {
			errs = append(errs, err)
		}
		defs = append(defs, parsed...)
	}
	for i, part := range splitFullText(text) {
		if i == 0 {
			add(name, part)
			continue
		}
		head, body, _ := strings.Cut(part, "\n")
		dep, ok := strings.CutPrefix(strings.TrimSpace(head), "MSG:")
		if !ok {
			errs = append(errs, &ParseError{Path: shortName(name), What: fmt.Sprintf("dependency %d does not begin with \"MSG: package/Type\"", i)})
			continue
		}
		add(strings.TrimSpace(dep), body)
		if len(defs) > maxDefinitions {
			errs = append(errs, &ParseError{Path: shortName(name), What: fmt.Sprintf("more than %d definitions in one text", maxDefinitions)})
		}
		if len(errs) >= maxErrors {
			break
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	set, err := NewSet(defs)
	if err != nil {
		return nil, nil, err
	}
	return set, defs[0], nil
}

// cutTypeName reads "package/Type", "package/msg/Type" and the like for services and actions.
func cutTypeName(name string) (pkg, typ string, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) == 3 && sectionSuffixes(parts[1]) != nil {
		parts = []string{parts[0], parts[2]}
	}
	if len(parts) != 2 || !isIdentifier(parts[0]) || !isIdentifier(parts[1]) {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// shortName limits what a client can put into an error message.
func shortName(name string) string { return fmt.Sprintf("%.80q", name) }

// splitFullText cuts at the separator lines.
func splitFullText(text string) []string {
	var parts []string
	var b strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if len(trimmed) >= 80 && strings.Trim(trimmed, "=") == "" {
			parts = append(parts, strings.TrimSuffix(b.String(), "\n"))
			b.Reset()
			continue
		}
		b.WriteString(line)
	}
	return append(parts, b.String())
}
