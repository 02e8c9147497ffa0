// Package idltest fills messages with random content and checks that all their codecs are inverse.
package idltest
