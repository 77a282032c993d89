// Command server is the application in the Pods of the tests on a real node. Its environment
// selects its behavior. `server sleep 3s` only waits, for preStop hooks that run a command.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 && os.Args[1] == "sleep" {
		wait, err := time.ParseDuration(os.Args[2])
		if err != nil {
			log.Fatal(err)
		}
		time.Sleep(wait)
		return
	}
	greeting := readGreeting()
	if reason := os.Getenv("CRASH"); reason != "" {
		log.Fatalf("fatal: %s", reason)
	}
	// The process runs, but nothing listens yet.
	time.Sleep(durationOf("LISTEN_AFTER"))
	serve(greeting, time.Now().Add(durationOf("READY_AFTER")))
}

// readGreeting returns the text of each answer. A missing file ends the program.
func readGreeting() string {
	path := os.Getenv("GREETING_FILE")
	if path == "" {
		return os.Getenv("GREETING")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		log.Fatalf("cannot read the settings: %v", err)
	}
	return string(content)
}

func durationOf(name string) time.Duration {
	value := os.Getenv(name)
	if value == "" {
		return 0
	}
	duration, err := time.ParseDuration(value)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return duration
}

func serve(greeting string, readyAt time.Time) {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	server := &http.Server{Addr: ":" + port, Handler: routes(greeting, readyAt)}
	drained := make(chan struct{})
	go func() {
		endOnSignal(server)
		close(drained)
	}()
	log.Printf("listening on port %s", port)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-drained
}

// routes answers "/" with the Pod and the greeting. Before readyAt, it answers as an application
// that still starts.
func routes(greeting string, readyAt time.Time) http.Handler {
	pod, _ := os.Hostname()
	work := durationOf("WORK")
	mux := http.NewServeMux()
	whenReady := func(answer http.HandlerFunc) http.HandlerFunc {
		return func(writer http.ResponseWriter, request *http.Request) {
			if time.Now().Before(readyAt) {
				http.Error(writer, "the application still starts", http.StatusServiceUnavailable)
				return
			}
			answer(writer, request)
		}
	}
	mux.HandleFunc("/", whenReady(func(writer http.ResponseWriter, _ *http.Request) {
		time.Sleep(work)
		fmt.Fprintf(writer, "%s\n%s", greeting, pod)
	}))
	mux.HandleFunc("/ready", whenReady(func(writer http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(writer, "ready")
	}))
	mux.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) {
		log.Fatal("fatal: a request ended the program")
	})
	mux.HandleFunc("/memory", func(http.ResponseWriter, *http.Request) { useAllMemory() })
	return mux
}

func useAllMemory() {
	var kept [][]byte
	for {
		block := make([]byte, 1<<20)
		for index := range block {
			block[index] = 1
		}
		kept = append(kept, block)
		if len(kept)%64 == 0 {
			log.Printf("uses %d MiB", len(kept))
		}
	}
}

// endOnSignal waits for SIGTERM. ON_SIGTERM is "drain" (the default), "exit" or "ignore". It still
// accepts connections for DRAIN_DELAY after the signal.
func endOnSignal(server *http.Server) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	<-ended
	switch os.Getenv("ON_SIGTERM") {
	case "exit":
		os.Exit(0)
	case "ignore":
		select {}
	}
	time.Sleep(durationOf("DRAIN_DELAY"))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		log.Printf("open requests: %v", err)
	}
}
