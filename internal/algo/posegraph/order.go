package posegraph

// orderer finds an order of elimination that fills the factor little: approximate minimum degree on the quotient graph (Amestoy,
// Davis, Duff, SIAM J. Matrix Anal. Appl. 17(4), 1996), with element absorption, mass elimination and indistinguishable nodes.
//
// An eliminated node becomes an element: the clique of its neighbours, kept as a list. Nodes that have the same neighbours are one
// supervariable, whose weight counts them. The degree of a node is bounded from above by sums over its elements, which is cheap.
// Ties are broken by position, so that the same graph gives the same order.
//
// The zero value is ready; its memory is used again by the next run.
type orderer struct {
	arena []int32 // the lists of nodes and elements
	list  []span  // of a node: neighbouring elements, then neighbouring nodes; of an element: its nodes
	elems []int32 // how many of a node's list are elements

	weight []int32 // of a supervariable; 0: it was eliminated or became part of another
	degree []int32 // upper bound of the weight of its neighbours
	size   []int32 // of an element: the weight of its nodes; 0: it was absorbed

	head, next, prev []int32 // lists of supervariables by degree
	low              int32   // no list below this one has an entry

	mark, same []int32 // stamps: in the new element; in the list that others are compared to
	tag        int32
	out        []int32 // weight of an element outside the new one
	outTag     []int32

	bucket, chain []int32 // supervariables of the new element by hash
	hash          []int32

	follow, tail []int32 // nodes that are eliminated together
	fresh        []int32 // list under construction
}

type span struct{ at, n int32 }

// run appends to order the nodes 0..n-1 as they should be eliminated. adj[ptr[i]:ptr[i+1]] are the neighbours of i, without
// repetition, without i itself, and each of them has i as a neighbour.
func (o *orderer) run(ptr, adj, order []int32) []int32 {
	n := int32(len(ptr) - 1)
	o.reset(n, ptr, adj)
	for left := n; left > 0; {
		for o.head[o.low] < 0 {
			o.low++
		}
		p := o.head[o.low]
		o.unlink(p)
		left -= o.eliminate(p, left)
		for i := p; i >= 0; i = o.follow[i] {
			order = append(order, i)
		}
	}
	return order
}

func (o *orderer) reset(n int32, ptr, adj []int32) {
	o.arena = append(o.arena[:0], adj...)
	o.list = resize(o.list, n)
	for _, s := range []*[]int32{
		&o.elems, &o.weight, &o.degree, &o.size, &o.head, &o.next, &o.prev, &o.mark, &o.same, &o.out, &o.outTag,
		&o.bucket, &o.chain, &o.hash, &o.follow, &o.tail,
	} {
		*s = resize(*s, n)
		clear(*s)
	}
	o.tag, o.low = 0, 0
	for i := range n {
		o.head[i], o.bucket[i], o.follow[i] = -1, -1, -1
	}
	for i := n - 1; i >= 0; i-- { // backwards: of equal degrees the first comes first
		o.list[i] = span{ptr[i], ptr[i+1] - ptr[i]}
		o.weight[i], o.tail[i] = 1, i
		o.degree[i] = o.list[i].n
		o.link(i)
	}
}

func resize[T any](s []T, n int32) []T {
	if int(n) > cap(s) {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

func (o *orderer) link(i int32) {
	d := o.degree[i]
	h := o.head[d]
	o.next[i], o.prev[i] = h, -1
	if h >= 0 {
		o.prev[h] = i
	}
	o.head[d] = i
	o.low = min(o.low, d)
}

func (o *orderer) unlink(i int32) {
	n, p := o.next[i], o.prev[i]
	if n >= 0 {
		o.prev[n] = p
	}
	if p >= 0 {
		o.next[p] = n
	} else {
		o.head[o.degree[i]] = n
	}
}

// items is the list of a node or an element, until the next list is appended to the arena.
func (o *orderer) items(i int32) []int32 {
	s := o.list[i]
	return o.arena[s.at : s.at+s.n]
}

// eliminate turns supervariable p into an element and brings its neighbours up to date. It returns how many nodes went; left is how
// many there were.
func (o *orderer) eliminate(p, left int32) int32 {
	gone := o.weight[p]
	o.form(p)
	o.measure(p)
	for _, i := range o.items(p) {
		gone += o.rebuild(p, i)
	}
	o.mergeSame(p)
	// What is left of the element's nodes goes back into the lists by degree.
	s := o.list[p]
	kept := s.at
	for _, i := range o.arena[s.at : s.at+s.n] {
		w := o.weight[i]
		if w == 0 {
			continue
		}
		o.arena[kept] = i
		kept++
		o.degree[i] = max(0, min(o.degree[i]+o.size[p]-w, left-gone-w))
		o.link(i)
	}
	o.list[p].n = kept - s.at
	return gone
}

// form collects the nodes of the new element p: all neighbours of p, over its elements, which are absorbed, and directly.
func (o *orderer) form(p int32) {
	o.tag++
	o.mark[p] = o.tag
	o.weight[p] = 0
	at := int32(len(o.arena))
	take := func(i int32) {
		if o.weight[i] > 0 && o.mark[i] != o.tag {
			o.mark[i] = o.tag
			o.size[p] += o.weight[i]
			o.unlink(i)
			o.arena = append(o.arena, i)
		}
	}
	s, ne := o.list[p], o.elems[p]
	for k := s.at; k < s.at+ne; k++ {
		e := o.arena[k]
		if o.size[e] == 0 {
			continue
		}
		for q, end := o.list[e].at, o.list[e].at+o.list[e].n; q < end; q++ {
			take(o.arena[q])
		}
		o.size[e] = 0
	}
	for k := s.at + ne; k < s.at+s.n; k++ {
		take(o.arena[k])
	}
	o.list[p] = span{at, int32(len(o.arena)) - at}
}

// measure finds, for every element that shares nodes with p, the weight of its nodes outside p.
func (o *orderer) measure(p int32) {
	for _, i := range o.items(p) {
		for _, e := range o.items(i)[:o.elems[i]] {
			if o.size[e] == 0 {
				continue
			}
			if o.outTag[e] != o.tag {
				o.outTag[e], o.out[e] = o.tag, o.size[e]
			}
			o.out[e] -= o.weight[i]
		}
	}
}

// rebuild gives node i of element p its new list and, in degree, the bound of its neighbours outside p. It returns how many nodes
// were eliminated with p, because p is all they have.
func (o *orderer) rebuild(p, i int32) int32 {
	o.fresh = append(o.fresh[:0], p)
	d, hash := int32(0), uint32(p)
	old := o.items(i)
	for _, e := range old[:o.elems[i]] {
		switch {
		case o.size[e] == 0:
		case o.out[e] == 0:
			o.size[e] = 0 // p holds all its nodes
		default:
			o.fresh = append(o.fresh, e)
			d += o.out[e]
			hash += uint32(e)
		}
	}
	ne := int32(len(o.fresh))
	for _, v := range old[o.elems[i]:] {
		if o.weight[v] > 0 && o.mark[v] != o.tag {
			o.fresh = append(o.fresh, v)
			d += o.weight[v]
			hash += uint32(v)
		}
	}
	if len(o.fresh) == 1 {
		w := o.weight[i]
		o.size[p] -= w
		o.absorb(p, i)
		return w
	}
	o.degree[i] = min(o.degree[i], d)
	o.elems[i] = ne
	o.list[i].n = int32(copy(old, o.fresh)) // never longer: p replaces what led to p
	h := int32(hash % uint32(len(o.bucket)))
	o.hash[i], o.chain[i], o.bucket[h] = h, o.bucket[h], i
	return 0
}

// absorb makes j a part of i: they are eliminated together.
func (o *orderer) absorb(i, j int32) {
	o.follow[o.tail[i]] = j
	o.tail[i] = o.tail[j]
	o.weight[j] = 0
}

// mergeSame makes one supervariable of the nodes of p that have the same neighbours.
func (o *orderer) mergeSame(p int32) {
	for _, first := range o.items(p) {
		if o.weight[first] == 0 {
			continue
		}
		h := o.hash[first]
		i := o.bucket[h]
		o.bucket[h] = -1
		for ; i >= 0; i = o.chain[i] {
			if o.weight[i] == 0 || o.chain[i] < 0 {
				continue
			}
			o.tag++
			for _, v := range o.items(i) {
				o.same[v] = o.tag
			}
			for j := o.chain[i]; j >= 0; j = o.chain[j] {
				if o.weight[j] > 0 && o.alike(i, j) {
					o.weight[i] += o.weight[j]
					o.absorb(i, j)
				}
			}
		}
	}
}

// alike reports whether j has the elements and neighbours of i, which are stamped.
func (o *orderer) alike(i, j int32) bool {
	if o.list[i].n != o.list[j].n || o.elems[i] != o.elems[j] {
		return false
	}
	for _, v := range o.items(j) {
		if o.same[v] != o.tag {
			return false
		}
	}
	return true
}
