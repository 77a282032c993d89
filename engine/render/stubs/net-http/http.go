// Package http replaces net/http in the render engine (scripts/engines.ts): no program of the engine has code for connections.
// It declares what the libraries name, and every request fails.
package http

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/url"
	"time"
)

const (
	MethodGet = "GET"
	StatusOK  = 200
)

// NoBody is an empty body.
var NoBody io.ReadCloser

// DefaultClient makes no request.
var DefaultClient = &Client{}

// DefaultTransport is never used.
var DefaultTransport RoundTripper

var errOffline = errors.New("the render engine opens no connection")

// RoundTripper would send a request.
type RoundTripper interface {
	RoundTrip(*Request) (*Response, error)
}

// Transport would open connections.
type Transport struct {
	Proxy           func(*Request) (*url.URL, error)
	TLSClientConfig *tls.Config
}

// RoundTrip fails always.
func (*Transport) RoundTrip(*Request) (*Response, error) { return nil, errOffline }

// ProxyFromEnvironment finds none.
func ProxyFromEnvironment(*Request) (*url.URL, error) { return nil, nil }

// Client fails always.
type Client struct {
	Transport RoundTripper
	Timeout   time.Duration
}

func (*Client) Do(*Request) (*Response, error) { return nil, errOffline }
func (*Client) Get(string) (*Response, error)  { return nil, errOffline }

// Get fails always.
func Get(string) (*Response, error) { return nil, errOffline }

// Header keeps nothing.
type Header struct{}

func (Header) Add(string, string) {}
func (Header) Set(string, string) {}

// Request is never sent.
type Request struct{ Header Header }

func (*Request) SetBasicAuth(string, string) {}

// NewRequestWithContext makes an empty request.
func NewRequestWithContext(context.Context, string, string, io.Reader) (*Request, error) {
	return &Request{}, nil
}

// Response never arrives.
type Response struct {
	Body       io.ReadCloser
	Status     string
	StatusCode int
}

// StatusText knows no status.
func StatusText(int) string { return "" }

// DetectContentType knows no type.
func DetectContentType([]byte) string { return "application/octet-stream" }
