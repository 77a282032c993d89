package helm

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/google/uuid"

	"qvs/render/limits"
)

// random is a stream of bytes that depends on a seed only.
type random struct{ stream *rand.ChaCha8 }

func newRandom(seed string) *random { return &random{rand.NewChaCha8(sha256.Sum256([]byte(seed)))} }

func (r *random) Read(into []byte) (int, error) { return r.stream.Read(into) }

// keys reads the stream for crypto packages. They read an extra byte at random, so that programs
// don't rely on the stream; such a read gets a constant.
type keys struct{ random *random }

func (k keys) Read(into []byte) (int, error) {
	if len(into) == 1 {
		into[0] = 0
		return 1, nil
	}
	return k.random.Read(into)
}

func (r *random) below(count int) int { return int(rand.New(r.stream).Int64N(int64(count))) }

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// ascii are the characters of randAscii.
var ascii = func() string {
	var all []byte
	for character := byte(' '); character < 127; character++ {
		all = append(all, character)
	}
	return string(all)
}()

func (r *random) functions() template.FuncMap {
	return template.FuncMap{
		"randAlphaNum": r.textOf("randAlphaNum", letters+digits),
		"randAlpha":    r.textOf("randAlpha", letters),
		"randNumeric":  r.textOf("randNumeric", digits),
		"randAscii":    r.textOf("randAscii", ascii),
		"randBytes":    r.bytes,
		"randInt":      func(from, to int) int { return from + r.below(to-from) },
		"shuffle":      r.shuffle,
		"uuidv4":       r.uuid,
		"bcrypt":       r.bcrypt,
		"htpasswd":     r.htpasswd,
		"encryptAES":   r.encryptAES,
	}
}

var originals = sprig.TxtFuncMap()

func (r *random) bcrypt(text string) string {
	defer r.use()()
	return originals["bcrypt"].(func(string) string)(text)
}

func (r *random) htpasswd(user, password string) string {
	defer r.use()()
	return originals["htpasswd"].(func(string, string) string)(user, password)
}

func (r *random) encryptAES(password, text string) (string, error) {
	defer r.use()()
	return originals["encryptAES"].(func(string, string) (string, error))(password, text)
}

func (r *random) textOf(function, alphabet string) func(int) (string, error) {
	return func(count int) (string, error) {
		if count < 0 || count > limits.Items {
			return "", limits.Exceeds(function, count)
		}
		text := make([]byte, count)
		for i := range text {
			text[i] = alphabet[r.below(len(alphabet))]
		}
		return string(text), nil
	}
}

func (r *random) bytes(count int) (string, error) {
	if count < 0 || count > limits.Items {
		return "", limits.Exceeds("randBytes", count)
	}
	text := make([]byte, count)
	_, err := io.ReadFull(r, text)
	return base64.StdEncoding.EncodeToString(text), err
}

func (r *random) shuffle(text string) string {
	runes := []rune(text)
	rand.New(r.stream).Shuffle(len(runes), func(i, j int) { runes[i], runes[j] = runes[j], runes[i] })
	return string(runes)
}

func (r *random) uuid() (string, error) {
	made, err := uuid.NewRandomFromReader(r)
	return made.String(), err
}

// use makes the crypto packages read the stream during a call.
func (r *random) use() (end func()) {
	before := cryptorand.Reader
	cryptorand.Reader = r
	return func() { cryptorand.Reader = before }
}
