// Package client is the tools' side of the control socket. A [Client] does one thing at a time and needs no goroutine.
package client
