package posegraph

// factor is the lower triangular factor of a sparse symmetric matrix of 3×3 blocks, by columns: L·Lᵀ = H.
type factor struct {
	ptr    []int32 // of each column into rows and val; the first block of a column is that of the diagonal
	rows   []int32 // ascending in a column
	val    []mat3
	parent []int32 // the elimination tree: the second row of a column; -1 at a root

	rowPtr  []int32 // of each row into rowSlot
	rowCol  []int32 // the columns left of the diagonal that a row has a block in
	rowSlot []int32 // where these blocks are

	slots []int32 // row → slot in the column that is being computed
	mark  []int32
}

func (f *factor) blocks() int { return len(f.rows) }

// analyze finds the structure of the factor of a matrix whose off-diagonal blocks are at the neighbours adj[ptr[i]:ptr[i+1]] of each
// position i. In row i the factor has a block in column k if k is below i on the way from a neighbour of i to the root of the
// elimination tree (Liu, "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11(1), 1990).
func (f *factor) analyze(ptr, adj []int32) {
	n := int32(len(ptr) - 1)
	f.parent, f.mark, f.slots = resize(f.parent, n), resize(f.mark, n), resize(f.slots, n)
	f.tree(ptr, adj)
	f.ptr, f.rowPtr = resize(f.ptr, n+1), resize(f.rowPtr, n+1)
	clear(f.ptr)
	f.rowCol = f.rowCol[:0]
	for i := range n {
		f.mark[i] = -1
	}
	for i := range n {
		f.rowPtr[i] = int32(len(f.rowCol))
		f.ptr[i]++ // the diagonal
		f.mark[i] = i
		for _, k := range adj[ptr[i]:ptr[i+1]] {
			for ; k < i && f.mark[k] != i; k = f.parent[k] {
				f.mark[k] = i
				f.ptr[k]++
				f.rowCol = append(f.rowCol, k)
			}
		}
	}
	f.rowPtr[n] = int32(len(f.rowCol))
	sum := int32(0)
	for i := range f.ptr {
		c := f.ptr[i]
		f.ptr[i] = sum
		sum += c
	}
	f.rows, f.val = resize(f.rows, sum), resize(f.val, sum)
	f.rowSlot = resize(f.rowSlot, int32(len(f.rowCol)))
	copy(f.mark, f.ptr[:n])
	for i := range n {
		for q := f.rowPtr[i]; q < f.rowPtr[i+1]; q++ {
			k := f.rowCol[q]
			f.rows[f.mark[k]] = i
			f.rowSlot[q] = f.mark[k]
			f.mark[k]++
		}
		f.rows[f.mark[i]] = i
		f.mark[i]++
	}
}

// tree computes the elimination tree, with shortcuts to known ancestors.
func (f *factor) tree(ptr, adj []int32) {
	ancestor := f.mark
	for i := range int32(len(ptr) - 1) {
		f.parent[i], ancestor[i] = -1, -1
		for _, k := range adj[ptr[i]:ptr[i+1]] {
			for k >= 0 && k < i {
				next := ancestor[k]
				ancestor[k] = i
				if next < 0 {
					f.parent[k] = i
				}
				k = next
			}
		}
	}
}

// factorize replaces the matrix in val by its factor, column by column from the left, and reports whether it was positive definite.
func (f *factor) factorize() bool {
	n := int32(len(f.ptr) - 1)
	for j := range n {
		begin, end := f.ptr[j], f.ptr[j+1]
		for q := begin; q < end; q++ {
			f.slots[f.rows[q]] = q
		}
		for q := f.rowPtr[j]; q < f.rowPtr[j+1]; q++ {
			at, stop := f.rowSlot[q], f.ptr[f.rowCol[q]+1]
			l := f.val[at]
			rows, vals := f.rows[at:stop], f.val[at:stop]
			for k, i := range rows {
				f.val[f.slots[i]].subMulT(&vals[k], &l)
			}
		}
		d := &f.val[begin]
		if !d.cholesky() {
			return false
		}
		for q := begin + 1; q < end; q++ {
			f.val[q].divT(d)
		}
	}
	return true
}

// solve replaces x by the solution y of H·y = x.
func (f *factor) solve(x []vec3) {
	n := int32(len(f.ptr) - 1)
	for j := range n {
		v := &x[j]
		f.val[f.ptr[j]].lowerSolveVec(v)
		for q := f.ptr[j] + 1; q < f.ptr[j+1]; q++ {
			b, t := &f.val[q], &x[f.rows[q]]
			t[0] -= b[0]*v[0] + b[1]*v[1] + b[2]*v[2]
			t[1] -= b[3]*v[0] + b[4]*v[1] + b[5]*v[2]
			t[2] -= b[6]*v[0] + b[7]*v[1] + b[8]*v[2]
		}
	}
	for j := n - 1; j >= 0; j-- {
		v := &x[j]
		for q := f.ptr[j] + 1; q < f.ptr[j+1]; q++ {
			b, t := &f.val[q], &x[f.rows[q]]
			v[0] -= b[0]*t[0] + b[3]*t[1] + b[6]*t[2]
			v[1] -= b[1]*t[0] + b[4]*t[1] + b[7]*t[2]
			v[2] -= b[2]*t[0] + b[5]*t[1] + b[8]*t[2]
		}
		f.val[f.ptr[j]].upperSolveVec(v)
	}
}
