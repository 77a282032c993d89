// Command load sends requests to a URL with two clients: one opens a connection for each request,
// the other keeps its connections. Like a browser, the second one repeats a request if the server
// closes a kept connection before it answers. The command prints "answered" when both clients have
// an answer, and its counts as JSON when it receives SIGTERM.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Counts is what one client saw.
type Counts struct {
	Requests int `json:"requests"`
	Failed   int `json:"failed"`
	// Failures maps a reason to its number.
	Failures map[string]int `json:"failures"`
	// Answers maps the first line of an answer to its number.
	Answers map[string]int `json:"answers"`
	// LastAnswers maps the first line of an answer to the Unix time of its last one, in ms.
	LastAnswers map[string]int64 `json:"lastAnswers"`
	// LongestMs is the time of the slowest answer.
	LongestMs int64 `json:"longestMs"`
}

type client struct {
	http     *http.Client
	mutex    sync.Mutex
	counts   Counts
	answered chan struct{}
	once     sync.Once
}

func newClient(keepAlive bool) *client {
	transport := &http.Transport{DisableKeepAlives: !keepAlive, MaxIdleConnsPerHost: 64}
	return &client{
		http: &http.Client{Timeout: 5 * time.Second, Transport: transport},
		counts: Counts{
			Failures:    map[string]int{},
			Answers:     map[string]int{},
			LastAnswers: map[string]int64{},
		},
		answered: make(chan struct{}),
	}
}

func main() {
	url := flag.String("url", "", "the address of the requests")
	rate := flag.Int("rate", 100, "requests per second of each client")
	limit := flag.Duration("limit", 20*time.Minute, "when to end without a signal")
	flag.Parse()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	time.AfterFunc(*limit, func() { end <- syscall.SIGTERM })
	clients := map[string]*client{"newConnections": newClient(false), "keptConnections": newClient(true)}
	stop := make(chan struct{})
	var running sync.WaitGroup
	for _, each := range clients {
		running.Go(func() { each.send(*url, time.Second/time.Duration(*rate), stop) })
	}
	go func() {
		for _, each := range clients {
			<-each.answered
		}
		fmt.Println("answered")
	}()
	<-end
	close(stop)
	running.Wait()
	result := map[string]Counts{}
	for name, each := range clients {
		result[name] = each.counts
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}

// send starts a request at each interval, also while earlier ones wait for their answers.
func (c *client) send(url string, interval time.Duration, stop <-chan struct{}) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var open sync.WaitGroup
	for {
		select {
		case <-stop:
			open.Wait()
			return
		case <-ticker.C:
			open.Go(func() { c.record(c.ask(url)) })
		}
	}
}

type answer struct {
	at      time.Time
	took    time.Duration
	text    string
	failure string
}

func (c *client) ask(url string) answer {
	result := answer{at: time.Now()}
	response, err := c.http.Get(url)
	if err == nil {
		var body []byte
		body, err = io.ReadAll(response.Body)
		response.Body.Close()
		result.text, _, _ = strings.Cut(string(body), "\n")
		if err == nil && response.StatusCode != http.StatusOK {
			result.failure = response.Status
		}
	}
	if err != nil {
		result.failure = reasonOf(err)
	}
	result.took = time.Since(result.at)
	return result
}

func reasonOf(err error) string {
	var operation *net.OpError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "connection reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	case os.IsTimeout(err):
		return "timeout"
	case errors.As(err, &operation):
		return operation.Op + ": " + operation.Err.Error()
	}
	return err.Error()
}

func (c *client) record(result answer) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.counts.Requests++
	if result.failure != "" {
		c.counts.Failed++
		c.counts.Failures[result.failure]++
		at := result.at.UTC().Format("15:04:05.000")
		fmt.Fprintf(os.Stderr, "%s %s after %s\n", at, result.failure, result.took)
		return
	}
	c.counts.Answers[result.text]++
	c.counts.LastAnswers[result.text] = max(
		c.counts.LastAnswers[result.text],
		result.at.Add(result.took).UnixMilli(),
	)
	c.counts.LongestMs = max(c.counts.LongestMs, result.took.Milliseconds())
	c.once.Do(func() { close(c.answered) })
}
