package helm

import (
	"crypto"
	"crypto/dsa"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
)

// encodeKey writes a key in the formats of sprig. It takes the results of the functions that make
// keys.
func encodeKey(key any, err error) (string, error) {
	if err != nil {
		return "", fmt.Errorf("failed to generate private key: %w", err)
	}
	block, err := keyBlock(key)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(block)), nil
}

func keyBlock(key any) (*pem.Block, error) {
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)}, nil
	case *ecdsa.PrivateKey:
		der, err := x509.MarshalECPrivateKey(k)
		return &pem.Block{Type: "EC PRIVATE KEY", Bytes: der}, err
	case *dsa.PrivateKey:
		content := struct {
			Version       int
			P, Q, G, Y, X *big.Int
		}{0, k.P, k.Q, k.G, k.Y, k.X}
		der, err := asn1.Marshal(content)
		return &pem.Block{Type: "DSA PRIVATE KEY", Bytes: der}, err
	default:
		der, err := x509.MarshalPKCS8PrivateKey(k)
		return &pem.Block{Type: "PRIVATE KEY", Bytes: der}, err
	}
}

// parseKey reads a key that can sign. DSA keys can't sign certificates in Go.
func parseKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("no PEM data in input")
	}
	parsed, err := parseBlock(block)
	if err != nil {
		return nil, fmt.Errorf("parsing private key: %w", err)
	}
	signer, isSigner := parsed.(crypto.Signer)
	if !isSigner {
		return nil, fmt.Errorf("a key of type %T can't sign", parsed)
	}
	return signer, nil
}

func parseBlock(block *pem.Block) (any, error) {
	switch block.Type {
	case "PRIVATE KEY":
		return x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	}
	return nil, fmt.Errorf("invalid private key type %s", block.Type)
}
