package helm

import (
	"crypto"
	"crypto/dsa"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"text/template"
	"time"
)

// certificate is the result of some functions of sprig, and an argument of others.
type certificate struct {
	Cert string
	Key  string
}

// certificates returns the functions of sprig that make keys and certificates. The original
// functions use the clock and the random bytes of the machine.
func (f *functions) certificates() template.FuncMap {
	return template.FuncMap{
		"genPrivateKey":            f.genPrivateKey,
		"genCA":                    f.genCA,
		"genCAWithKey":             f.genCAWithKey,
		"genSelfSignedCert":        f.genSelfSignedCert,
		"genSelfSignedCertWithKey": f.genSelfSignedCertWithKey,
		"genSignedCert":            f.genSignedCert,
		"genSignedCertWithKey":     f.genSignedCertWithKey,
		"buildCustomCert":          buildCustomCert,
	}
}

func (f *functions) keys() io.Reader { return keys{f.random} }

const (
	certificateBits = 2048
	keyBits         = 4096
)

func (f *functions) genPrivateKey(kind string) (string, error) {
	switch kind {
	case "", "rsa":
		return encodeKey(rsa.GenerateKey(f.keys(), keyBits))
	case "ecdsa":
		return encodeKey(ecdsa.GenerateKey(elliptic.P256(), f.keys()))
	case "ed25519":
		_, key, err := ed25519.GenerateKey(f.keys())
		return encodeKey(key, err)
	case "dsa":
		key := new(dsa.PrivateKey)
		if err := dsa.GenerateParameters(&key.Parameters, f.keys(), dsa.L2048N256); err != nil {
			return "", err
		}
		return encodeKey(key, dsa.GenerateKey(key, f.keys()))
	}
	return "Unknown type " + kind, nil
}

func (f *functions) genCA(name string, days int) (certificate, error) {
	key, err := f.newKey()
	if err != nil {
		return certificate{}, err
	}
	return f.authority(name, days, key)
}

func (f *functions) genCAWithKey(name string, days int, key string) (certificate, error) {
	parsed, err := parseKey(key)
	if err != nil {
		return certificate{}, err
	}
	return f.authority(name, days, parsed)
}

func (f *functions) authority(name string, days int, key crypto.Signer) (certificate, error) {
	made, err := f.template(name, nil, nil, days)
	if err != nil {
		return certificate{}, err
	}
	made.KeyUsage |= x509.KeyUsageCertSign
	made.IsCA = true
	return f.sign(made, key, made, key)
}

func (f *functions) genSelfSignedCert(name string, ips, hosts []any, days int) (certificate, error) {
	key, err := f.newKey()
	if err != nil {
		return certificate{}, err
	}
	return f.selfSigned(name, ips, hosts, days, key)
}

func (f *functions) genSelfSignedCertWithKey(name string, ips, hosts []any, days int, key string) (certificate, error) {
	parsed, err := parseKey(key)
	if err != nil {
		return certificate{}, err
	}
	return f.selfSigned(name, ips, hosts, days, parsed)
}

func (f *functions) selfSigned(name string, ips, hosts []any, days int, key crypto.Signer) (certificate, error) {
	made, err := f.template(name, ips, hosts, days)
	if err != nil {
		return certificate{}, err
	}
	return f.sign(made, key, made, key)
}

func (f *functions) genSignedCert(name string, ips, hosts []any, days int, ca certificate) (certificate, error) {
	key, err := f.newKey()
	if err != nil {
		return certificate{}, err
	}
	return f.signed(name, ips, hosts, days, ca, key)
}

func (f *functions) genSignedCertWithKey(
	name string, ips, hosts []any, days int, ca certificate, key string,
) (certificate, error) {
	parsed, err := parseKey(key)
	if err != nil {
		return certificate{}, err
	}
	return f.signed(name, ips, hosts, days, ca, parsed)
}

func (f *functions) signed(
	name string, ips, hosts []any, days int, ca certificate, key crypto.Signer,
) (certificate, error) {
	parent, err := parseCertificate(ca.Cert)
	if err != nil {
		return certificate{}, err
	}
	parentKey, err := parseKey(ca.Key)
	if err != nil {
		return certificate{}, err
	}
	made, err := f.template(name, ips, hosts, days)
	if err != nil {
		return certificate{}, err
	}
	return f.sign(made, key, parent, parentKey)
}

func (f *functions) newKey() (crypto.Signer, error) {
	return rsa.GenerateKey(f.keys(), certificateBits)
}

func (f *functions) template(name string, ips, hosts []any, days int) (*x509.Certificate, error) {
	var addresses []net.IP
	for _, each := range ips {
		text, isText := each.(string)
		address := net.ParseIP(text)
		if !isText || address == nil {
			return nil, fmt.Errorf("error parsing ip: %v", each)
		}
		addresses = append(addresses, address)
	}
	var names []string
	for _, each := range hosts {
		text, isText := each.(string)
		if !isText {
			return nil, fmt.Errorf("error processing alternate dns name: %v is not a string", each)
		}
		names = append(names, text)
	}
	serial := make([]byte, 16)
	if _, err := io.ReadFull(f.random, serial); err != nil {
		return nil, err
	}
	return &x509.Certificate{
		SerialNumber:          new(big.Int).SetBytes(serial),
		Subject:               pkix.Name{CommonName: name},
		IPAddresses:           addresses,
		DNSNames:              names,
		NotBefore:             f.now,
		NotAfter:              f.now.Add(24 * time.Hour * time.Duration(days)),
		KeyUsage:              x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}, nil
}

func (f *functions) sign(made *x509.Certificate, key crypto.Signer, parent *x509.Certificate, parentKey crypto.Signer) (certificate, error) {
	der, err := x509.CreateCertificate(f.keys(), made, parent, key.Public(), parentKey)
	if err != nil {
		return certificate{}, fmt.Errorf("error creating certificate: %w", err)
	}
	text, err := encodeKey(key, nil)
	if err != nil {
		return certificate{}, err
	}
	return certificate{string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), text}, nil
}

// buildCustomCert is sprig's function with the result type of this package.
func buildCustomCert(cert, key string) (certificate, error) {
	decode := originals["b64dec"].(func(string) string)
	made := certificate{decode(cert), decode(key)}
	if _, err := parseCertificate(made.Cert); err != nil {
		return certificate{}, err
	}
	if _, err := parseKey(made.Key); err != nil {
		return certificate{}, err
	}
	return made, nil
}

func parseCertificate(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("unable to decode certificate")
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("error parsing certificate: %w", err)
	}
	return parsed, nil
}
