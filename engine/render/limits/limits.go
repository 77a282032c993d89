// Package limits limits the work that a chart or overlay can cause. The host limits time and
// memory.
package limits

import "qvs/render/problem"

const (
	// Output is the largest text that one rendering gives, in bytes. All CRDs of the largest
	// operators have about 5 MB.
	Output = 16 << 20
	// Items is the longest list, and the longest repetition in bytes, that one call of a template
	// function makes.
	Items = 1 << 20
	// Stack is the limit of a recursion in bytes. Helm's own limit of an include takes a quarter of
	// it.
	Stack = 16 << 20
	// Archive is the largest content of a packed chart in bytes, as in Helm.
	Archive = 100 << 20
)

// OutputExceeded returns the problem of a rendering that is too large.
func OutputExceeded(size int) error {
	return problem.New(problem.Limit, "the result has %d bytes, more than %d MiB", size, Output>>20)
}

// Mark is in the message of an exceeded limit, because the errors of templates lose their types.
const Mark = "exceeded limit: "

// Exceeds returns the problem of a call that asks for too much.
func Exceeds(function string, count int) error {
	return problem.New(problem.Limit, Mark+"%s: %d is more than %d", function, count, Items)
}
