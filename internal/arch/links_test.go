package arch

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A page is one Markdown document.
type page struct {
	path    string
	links   []link
	anchors []string
}

type link struct {
	line   int
	target string
}

var (
	linkSyntax    = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)`)
	refSyntax     = regexp.MustCompile(`^\s*\[[^\]]+\]:\s*<?([^\s>]+)>?`)
	headingSyntax = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	htmlAnchor    = regexp.MustCompile(`<a\s+(?:id|name)="([^"]+)"`)
	inlineCode    = regexp.MustCompile("`[^`]*`")
	notInAnchor   = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// readPage finds the links and the anchors of a document, outside of code.
func readPage(name, text string) page {
	p := page{path: name}
	fence := ""
	for i, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		if fence != "" {
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fence = trimmed[:3]
			continue
		}
		if m := headingSyntax.FindStringSubmatch(l); m != nil {
			p.anchors = append(p.anchors, uniqueAnchor(p.anchors, slug(m[1])))
		}
		for _, m := range htmlAnchor.FindAllStringSubmatch(l, -1) {
			p.anchors = append(p.anchors, m[1])
		}
		plain := inlineCode.ReplaceAllString(l, "")
		for _, m := range linkSyntax.FindAllStringSubmatch(plain, -1) {
			p.links = append(p.links, link{i + 1, m[1]})
		}
		if m := refSyntax.FindStringSubmatch(plain); m != nil {
			p.links = append(p.links, link{i + 1, m[1]})
		}
	}
	return p
}

// slug turns a heading into its anchor the way forges do: lower case, marks dropped, blanks as hyphens.
func slug(heading string) string {
	heading = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func uniqueAnchor(have []string, anchor string) string {
	out := anchor
	for n := 1; slices.Contains(have, out); n++ {
		out = fmt.Sprintf("%s-%d", anchor, n)
	}
	return out
}

// checkLinks follows every link that stays inside the repository. exists tells whether a file or folder is there.
func checkLinks(pages []page, exists func(string) bool) []string {
	byPath := map[string]page{}
	for _, p := range pages {
		byPath[p.path] = p
	}
	var out []string
	for _, p := range pages {
		for _, l := range p.links {
			if strings.Contains(l.target, "://") || strings.HasPrefix(l.target, "mailto:") {
				continue
			}
			file, anchor, hasAnchor := strings.Cut(l.target, "#")
			target := p.path
			if file != "" {
				target = path.Join(path.Dir(p.path), file)
			}
			at := fmt.Sprintf("%s:%d links to %s", p.path, l.line, l.target)
			switch other, isPage := byPath[target]; {
			case strings.HasPrefix(target, "../") || strings.HasPrefix(file, "/"):
				out = append(out, at+", which lies outside the repository")
			case !exists(target):
				out = append(out, at+", which does not exist")
			case hasAnchor && isPage && !slices.Contains(other.anchors, anchor):
				out = append(out, fmt.Sprintf("%s, but %s has no such heading (it has %s)", at, target, strings.Join(other.anchors, ", ")))
			}
		}
	}
	return out
}

func TestLinksInDocumentsResolve(t *testing.T) {
	var pages []page
	err := walk(".md", func(name string, text []byte) error {
		pages = append(pages, readPage(name, string(text)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) == 0 {
		t.Fatal("found no document: the test looks in the wrong place")
	}
	report(t, checkLinks(pages, func(name string) bool {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		return err == nil
	}))
}

func TestDeadLinksAreFound(t *testing.T) {
	const other = "# Second page\n## What, how?\n## What, how?\n<a id=\"here\"></a>\n```\n# no heading\n```\n"
	exists := func(name string) bool {
		return name == "docs/a.md" || name == "docs/b.md" || name == "Makefile" || name == "docs"
	}
	tests := []struct{ text, want string }{
		{"[x](b.md) [y](../Makefile) ![z](../docs)", ""},
		{"[x](b.md#second-page) [y](b.md#what-how-1) [z](b.md#here)", ""},
		{"[x](https://example.org/nothing) <mailto:x@example.org> [y](mailto:x@example.org)", ""},
		{"`[x](gone.md)` and\n```\n[x](gone.md)\n```\n", ""},
		{"# Top\n[x](#top)", ""},
		{"text\n[x](gone.md)", "docs/a.md:2 links to gone.md, which does not exist"},
		{"[x](gone.md \"title\")", "does not exist"},
		{"[x]: gone.md", "does not exist"},
		{"[x](b.md#third)", "no such heading"},
		{"[x](b.md#no-heading)", "no such heading"},
		{"[x](#gone)", "no such heading"},
		{"[x](../../etc/passwd)", "outside the repository"},
		{"[x](/etc/passwd)", "outside the repository"},
	}
	for _, tt := range tests {
		got := checkLinks([]page{readPage("docs/a.md", tt.text), readPage("docs/b.md", other)}, exists)
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%q: found %q", tt.text, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%q: found %q, want %q", tt.text, got, tt.want)
		}
	}
}
