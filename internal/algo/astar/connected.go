package astar

// connected reports whether any way joins two cells. Diagonal steps need straight ones beside them, so the runs of passable cells of each
// row are joined with those they touch in the row below (union-find over runs).
func (s *Search) connected(costs []uint8, from, to int) bool {
	if s.labels == nil {
		s.labels = make([]int32, len(s.nodes))
	}
	s.parent = append(s.parent[:0], 0)
	for y := 1; y < s.height-1; y++ {
		row, below := s.labels[y*s.width:(y+1)*s.width], s.labels[(y-1)*s.width:y*s.width]
		label, joined := int32(0), int32(0)
		for x := 1; x < s.width-1; x++ {
			if s.stepTo[costs[y*s.width+x]] == 0 {
				row[x], label, joined = 0, 0, 0
				continue
			}
			if label == 0 {
				label = int32(len(s.parent))
				s.parent = append(s.parent, label)
			}
			row[x] = label
			if b := below[x]; b != 0 && b != joined {
				joined = b
				s.join(b, label)
			}
		}
	}
	return s.root(s.labels[from]) == s.root(s.labels[to])
}

func (s *Search) root(a int32) int32 {
	for s.parent[a] != a {
		s.parent[a] = s.parent[s.parent[a]]
		a = s.parent[a]
	}
	return a
}

func (s *Search) join(a, b int32) {
	a, b = s.root(a), s.root(b)
	s.parent[max(a, b)] = min(a, b)
}
