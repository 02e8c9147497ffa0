package site

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Memory is an [FS] that lives as long as the program: for simulations, which must leave no trace and find none. Use [NewMemory].
type Memory struct {
	mu    sync.Mutex
	nodes map[string][]byte // content of each file, nil of folders, by cleaned name; "." is there
}

var _ FS = (*Memory)(nil)

// NewMemory returns an empty folder.
func NewMemory() *Memory { return &Memory{nodes: map[string][]byte{".": nil}} }

func fail(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

// Read implements FS.
func (m *Memory) Read(name string, limit int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.nodes[path.Clean(name)]
	switch {
	case !ok:
		return nil, fail("open", name, fs.ErrNotExist)
	case data == nil:
		return nil, fail("read", name, syscall.EISDIR)
	case int64(len(data)) > limit:
		return nil, tooLarge(name, limit)
	}
	return slices.Clone(data), nil
}

// List implements FS.
func (m *Memory) List(folder string) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	folder = path.Clean(folder)
	if data, ok := m.nodes[folder]; !ok || data != nil {
		return nil, fail("open", folder, fs.ErrNotExist)
	}
	var out []Entry
	for name, data := range m.nodes {
		if name != "." && path.Dir(name) == folder {
			out = append(out, Entry{Name: path.Base(name), Folder: data == nil, Size: int64(len(data))})
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// parent reports an error unless the folder that is to have name is there.
func (m *Memory) parent(op, name string) error {
	if data, ok := m.nodes[path.Dir(name)]; !ok || data != nil || !fs.ValidPath(name) {
		return fail(op, name, fs.ErrNotExist)
	}
	return nil
}

// MakeFolder implements FS.
func (m *Memory) MakeFolder(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = path.Clean(name)
	if data, ok := m.nodes[name]; ok && data != nil {
		return fail("mkdir", name, fs.ErrExist)
	}
	if err := m.parent("mkdir", name); err != nil {
		return err
	}
	m.nodes[name] = nil
	return nil
}

// Create implements FS.
func (m *Memory) Create(name string) (Pending, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = path.Clean(name)
	if err := m.parent("open", name); err != nil {
		return nil, err
	}
	temporary := path.Join(path.Dir(name), "."+path.Base(name)+"1")
	m.nodes[temporary] = []byte{}
	return &pendingBytes{m: m, name: name, temporary: temporary}, nil
}

type pendingBytes struct {
	m               *Memory
	name, temporary string
	data            bytes.Buffer
}

func (p *pendingBytes) Write(data []byte) (int, error) {
	p.data.Write(data)
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	p.m.nodes[p.temporary] = append([]byte{}, p.data.Bytes()...) // not nil, which is a folder
	return len(data), nil
}

func (p *pendingBytes) Commit() error { return p.m.Rename(p.temporary, p.name) }

func (p *pendingBytes) Abort() {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	delete(p.m.nodes, p.temporary)
}

// Rename implements FS.
func (m *Memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to = path.Clean(from), path.Clean(to)
	data, ok := m.nodes[from]
	if !ok {
		return fail("rename", from, fs.ErrNotExist)
	}
	if err := m.parent("rename", to); err != nil {
		return err
	}
	if old, there := m.nodes[to]; there && (old == nil || data == nil) {
		return fail("rename", to, fs.ErrExist)
	}
	moved := map[string][]byte{}
	for name, content := range m.nodes {
		if rest, ok := strings.CutPrefix(name, from+"/"); ok {
			moved[to+"/"+rest] = content
			delete(m.nodes, name)
		}
	}
	delete(m.nodes, from)
	m.nodes[to] = data
	maps.Copy(m.nodes, moved)
	return nil
}

// Remove implements FS.
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = path.Clean(name)
	if _, ok := m.nodes[name]; !ok {
		return fail("remove", name, fs.ErrNotExist)
	}
	for other := range m.nodes {
		if strings.HasPrefix(other, name+"/") {
			return fail("remove", name, syscall.ENOTEMPTY)
		}
	}
	delete(m.nodes, name)
	return nil
}

// Sync implements FS.
func (m *Memory) Sync(folder string) error {
	_, err := m.List(folder)
	return err
}
