package idl

import "strings"

// Comment is the documentation of a field or constant. Sarathi's own definitions write
// what a machine can use in brackets: "# [m/s] [@frame base_link] [@range 0, 1.5] [@enum MODE] text".
// A bracket that is none of these, such as "[0..255]", stays in the text only when
// it does not begin the comment; at the beginning the first bracket is the unit.
type Comment struct {
	Text  string // the words, lines separated by "\n", brackets removed
	Unit  string // such as "m/s"
	Frame string // such as "base_link"
	Range string // such as "0, 1.5"
	Enum  string // prefix of the constants that are the field's values
}

// parseComment reads the bracketed notes at the beginning of each line of text.
func parseComment(lines []string) Comment {
	var c Comment
	var words []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		for strings.HasPrefix(line, "[") {
			end := strings.IndexByte(line, ']')
			if end < 0 {
				break
			}
			c.note(line[1:end])
			line = strings.TrimSpace(line[end+1:])
		}
		words = append(words, line)
	}
	c.Text = strings.Trim(strings.Join(words, "\n"), "\n")
	return c
}

// note stores the contents of one bracket.
func (c *Comment) note(s string) {
	key, value, _ := strings.Cut(s, " ")
	value = strings.TrimSpace(value)
	switch key {
	case "@frame":
		c.Frame = value
	case "@range":
		c.Range = value
	case "@enum":
		c.Enum = value
	default:
		c.Unit = strings.TrimSpace(s)
	}
}

// String renders the comment on lines for people: the notes, then the text.
func (c Comment) String() string {
	var notes []string
	if c.Unit != "" {
		notes = append(notes, "["+c.Unit+"]")
	}
	if c.Frame != "" {
		notes = append(notes, "[frame "+c.Frame+"]")
	}
	if c.Range != "" {
		notes = append(notes, "[range "+c.Range+"]")
	}
	if c.Enum != "" {
		notes = append(notes, "[enum "+c.Enum+"]")
	}
	if c.Text != "" {
		notes = append(notes, c.Text)
	}
	return strings.Join(notes, " ")
}
