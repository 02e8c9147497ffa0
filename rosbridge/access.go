package rosbridge

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// allowed reports whether a name is on an allow-list; a nil list has every name.
func allowed(list []string, name string) bool {
	if list == nil {
		return true
	}
	for _, pattern := range list {
		if glob(pattern, name) {
			return true
		}
	}
	return false
}

// glob reports whether pattern matches all of s. * matches any text, slashes too, as in rosbridge_suite; ? matches one byte.
// It takes time in proportion to the product of the lengths, at worst.
func glob(pattern, s string) bool {
	star, retry := -1, 0 // the last star in pattern, and where in s to try again when what follows it does not fit
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			retry++
			p, i = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// authorized reports whether a request has the token, compared in constant time.
func (c *Config) authorized(r *http.Request) bool {
	if c.Token == "" {
		return true
	}
	want := sha256.Sum256([]byte(c.Token))
	same := func(token string) bool {
		got := sha256.Sum256([]byte(token))
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && same(strings.TrimSpace(token)) || same(r.URL.Query().Get("token"))
}

// originAllowed reports whether the page that asks may connect. Without an origin it is no page.
func (c *Config) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || c.Origins != nil && allowed(c.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return true
	}
	// A name says nothing about whose page it is: who owns the name can let it point here while the page is open (DNS rebinding). An
	// address cannot point elsewhere, and a page that has the token has it from somebody.
	return strings.EqualFold(u.Host, r.Host) && (ip != nil || c.Token != "")
}
