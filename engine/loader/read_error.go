package loader

import (
	"errors"

	"qvs/host/source"
)

var (
	errOutside  = errors.New("the file leads outside of its module")
	errTooLarge = errors.New("the modules contain more CUE than one evaluation can read")
)

// readError returns an error of the host in terms of CUE: a root of the host is a module.
func readError(err error) error {
	switch err {
	case source.ErrOutside:
		return errOutside
	case source.ErrTooLarge:
		return errTooLarge
	}
	return err
}
