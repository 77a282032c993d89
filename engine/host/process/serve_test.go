package process

import (
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"qvs/host/source"
)

// isEngine selects the other side of a test: the program serves instead of testing.
const isEngine = "QVS_TEST_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(isEngine) != "" {
		Serve("the sources", func(source.Tree) Engine { return nil })
		return
	}
	os.Exit(m.Run())
}

// Go stops all threads to read its statistics, as it does to collect garbage. With a blocking read
// of stdin, one of some ten thousand such stops never ends.
func TestStopsOfAllThreadsEndWhileTheEngineReads(t *testing.T) {
	to, from, end := startEngine(t)
	readFrame(t, from)
	stuck := time.AfterFunc(30*time.Second, end)
	defer stuck.Stop()
	for range 30_000 {
		if _, err := to.Write([]byte{kindMemory, 0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
		if used := binary.LittleEndian.Uint64(readFrame(t, from)); used == 0 {
			t.Fatal("the engine uses no memory")
		}
	}
}

func TestTheEngineEndsWithItsHost(t *testing.T) {
	to, from, _ := startEngine(t)
	readFrame(t, from)
	to.Close()
	if rest, err := io.ReadAll(from); err != nil || len(rest) != 0 {
		t.Fatalf("got %q and %v instead of the end", rest, err)
	}
}

// startEngine starts this program as an engine. The function ends it.
func startEngine(t *testing.T) (io.WriteCloser, io.Reader, func()) {
	t.Helper()
	engine := exec.Command(os.Args[0])
	engine.Env = append(os.Environ(), isEngine+"=yes")
	to, err := engine.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := engine.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() { engine.Process.Kill() }
	t.Cleanup(func() {
		end()
		engine.Wait()
	})
	return to, from, end
}

func readFrame(t *testing.T, from io.Reader) []byte {
	t.Helper()
	var head [5]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		t.Fatal("the engine doesn't answer: ", err)
	}
	content := make([]byte, binary.LittleEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(from, content); err != nil {
		t.Fatal(err)
	}
	return content
}
