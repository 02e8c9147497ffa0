package handheld

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// mostTyped bounds what is typed into the palette [bytes].
const mostTyped = 2000

// mostSuggested is how many commands the palette names.
const mostSuggested = 8

// A palette is the line in which a command is typed.
type palette struct{ text string }

// typed takes a key in the palette.
func (m *Model) typed(k Key) []Effect {
	p := &m.palette
	switch {
	case k.Name == "enter":
		return m.send()
	case k.Name == "tab":
		if s := m.suggestions(); len(s) > 0 && !strings.Contains(p.text, " ") {
			p.text = s[0] + " "
		}
	case k.Name == "backspace":
		if p.text == "" {
			m.screen = m.before
		}
		_, n := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-n]
	case k.Name == "ctrl+u":
		p.text = ""
	case len(p.text)+len(k.Text) <= mostTyped:
		p.text += clean(k.Text)
	}
	return nil
}

// send makes a command of what was typed; nothing closes the palette.
func (m *Model) send() []Effect {
	m.screen = m.before
	words := split(m.palette.text)
	if len(words) == 0 {
		return nil
	}
	args, err := m.dialect.ParseArgs(words[0], words[1:])
	if err == nil {
		_, err = m.dialect.Check(words[0], args)
	}
	if err != nil {
		m.say("%s: %v", words[0], err)
		return nil
	}
	return []Effect{{Kind: EffectCommand, Name: words[0], Args: args}}
}

// split splits at blanks outside of double quotes, which it removes around a value: say text="good morning".
func split(line string) []string {
	var words []string
	var word strings.Builder
	quoted, some := false, false
	for _, r := range line {
		switch {
		case r == '"':
			quoted, some = !quoted, true
		case r == ' ' && !quoted:
			if some {
				words = append(words, word.String())
			}
			word.Reset()
			some = false
		default:
			word.WriteRune(r)
			some = true
		}
	}
	if some {
		words = append(words, word.String())
	}
	return words
}

// suggestions are the robot's commands that begin with what was typed, then those that contain it.
func (m *Model) suggestions() []string {
	if m.snap.Welcome == nil {
		return nil
	}
	typed, _, _ := strings.Cut(m.palette.text, " ")
	var first, then []string
	for _, name := range m.snap.Welcome.Commands {
		switch {
		case strings.HasPrefix(name, typed):
			first = append(first, name)
		case strings.Contains(name, typed):
			then = append(then, name)
		}
	}
	all := slices.Concat(first, then)
	return all[:min(len(all), mostSuggested)]
}
