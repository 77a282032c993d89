// Package offline prevents connections and programs of the libraries. WebAssembly has neither; in a
// native program the libraries would open them.
package offline

import (
	"errors"
	"net/http"
	"os"
)

// Message is the error of every request.
const Message = "the render engine opens no connection"

type refuse struct{}

func (refuse) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New(Message) }

// Enter makes every request of the default HTTP client fail, and hides every program: without PATH,
// none is found.
func Enter() {
	http.DefaultTransport = refuse{}
	os.Clearenv()
}
