// Package tls replaces crypto/tls in the render engine, like net/http.
package tls

// Config has nothing to configure.
type Config struct{}
