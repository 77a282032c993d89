// Package process serves an engine in a program of this machine. It exchanges frames with its host
// over stdin and stdout, and ends with stdin.
package process

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"qvs/host/source"
)

// Engine answers requests.
type Engine interface{ Call(request []byte) []byte }

// Kinds of frames. A frame is a kind, the length of its content as four bytes (little endian), and
// the content.
const (
	kindHello    = 'h' // engine: the digest of its sources
	kindRequest  = 'r' // host: a request of the protocol
	kindAnswer   = 'a' // engine: the answer to a request
	kindFiles    = 'f' // engine: which files are in a directory?
	kindEntries  = 'e' // engine: which entries does a directory have?
	kindText     = 't' // engine: what does a file contain?
	kindFound    = 'd' // host: the answer to a question
	kindNotFound = 'n' // host: a code instead of an answer
	kindMemory   = 'm' // host: how much memory is used? engine: eight bytes
)

type frame struct {
	kind    byte
	content []byte
}

// Serve answers the requests of the host until it ends. sources is the digest of the Go sources
// that the program was built from.
func Serve(sources string, start func(source.Tree) Engine) {
	limitMemory()
	// Go reports a crash in many small writes. The host reads them only at the end, so they must
	// not block. Why reads of stdin must not block is described at receive.
	for _, file := range []int{syscall.Stdin, syscall.Stderr} {
		if err := syscall.SetNonblock(file, true); err != nil {
			os.Exit(1)
		}
	}
	// A terminal sends these signals to every program in its foreground; only the host decides when
	// the engine ends.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
	pipe := &channel{received: make(chan frame), out: os.Stdout}
	go pipe.receive()
	engine := start(hostTree{pipe})
	pipe.send(kindHello, []byte(sources))
	for received := range pipe.received {
		switch received.kind {
		case kindRequest:
			pipe.send(kindAnswer, engine.Call(received.content))
		case kindMemory:
			pipe.send(kindMemory, binary.LittleEndian.AppendUint64(nil, usedMemory()))
		}
	}
}

// channel exchanges frames with the host.
type channel struct {
	received chan frame
	out      io.Writer
}

// receive runs concurrently with the evaluation, so that the program ends at once when its host
// does. It waits in Go's scheduler and not in the system: a garbage collection of Go 1.26 can wait
// without end for a thread that begins to wait in the system at the same time
// (stopTheWorldWithSema and reentersyscall in runtime/proc.go).
func (c *channel) receive() {
	// os.Stdin would wait in the system, because it was opened when reads of stdin still blocked.
	stdin := os.NewFile(uintptr(syscall.Stdin), "stdin")
	in := bufio.NewReaderSize(stdin, 64<<10)
	for {
		var head [5]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			os.Exit(0)
		}
		content := make([]byte, binary.LittleEndian.Uint32(head[1:]))
		if _, err := io.ReadFull(in, content); err != nil {
			os.Exit(0)
		}
		c.received <- frame{head[0], content}
	}
}

func (c *channel) send(kind byte, content []byte) {
	head := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(content)))
	// Each write wakes up the host, so only the largest frames need two.
	if len(content) < 64<<10 {
		head = append(head, content...)
		content = nil
	}
	for _, part := range [][]byte{head, content} {
		if _, err := c.out.Write(part); err != nil {
			os.Exit(0)
		}
	}
}

func usedMemory() uint64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.Sys - memory.HeapReleased
}
