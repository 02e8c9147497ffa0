// Package arch holds the tests that keep the architecture: who may import whom, who may ask for the time, what a node may not
// contain, that packages are documented and that links in documents lead somewhere. There is nothing in it to import.
//
// The rules stand in tables at the top of the files; each exception carries its reason. Every check is also run on small fake trees
// that break it, so that a check that stopped checking is noticed.
package arch
