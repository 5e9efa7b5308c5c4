// A whole Handoff worker in Go, with the standard library alone; docs/PROTOCOL.md tells what it says and hears.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type object = map[string]any
type headers = [][2]string

var text = headers{{"content-type", "text/plain"}}

// handle is your part. Each request has a goroutine of its own, so it may take its time.
func handle(request *frame) (int, headers, []byte) {
	path, _, _ := strings.Cut(request.Target, "?")
	switch path {
	case "/":
		return 200, text, []byte("hello\n")
	case "/echo":
		all, _ := json.Marshal(request.Headers)
		echo := headers{{"Echo-Method", request.Method}, {"Echo-Target", request.Target}, {"Echo-Headers", string(all)}}
		return 200, echo, request.body
	}
	return 404, text, []byte("There is nothing here.\n")
}

// A frame from the core, with the keys that this worker looks at.
type frame struct {
	Type, Method, Target, Message string
	ID, Bytes                     int64
	Headers                       headers
	Websocket                     *[]string
	More, Text                    bool
	Features                      []string
	Limits                        limits
	body                          []byte
}

type limits struct{ JSONBytes, BodyBytes, StreamBytes int64 }

func read(from *bufio.Reader) (*frame, error) {
	var prefix [8]byte
	if _, err := io.ReadFull(from, prefix[:]); err != nil {
		return nil, err
	}
	jsonBytes, bodyBytes := binary.BigEndian.Uint32(prefix[:]), binary.BigEndian.Uint32(prefix[4:])
	both := make([]byte, int(jsonBytes)+int(bodyBytes))
	if _, err := io.ReadFull(from, both); err != nil {
		return nil, err
	}
	came := &frame{body: both[jsonBytes:]}
	err := json.Unmarshal(both[:jsonBytes], came)
	if wrong, _ := err.(*json.UnmarshalTypeError); err != nil && (wrong == nil || wrong.Field == "") { // else a foreign key, such as the text of a request
		return nil, fmt.Errorf("the core sent a broken frame: %w", err)
	}
	return came, nil
}

// One connection to the core. The goroutine of serve has it; others only send.
type worker struct {
	core    net.Conn
	out     chan []byte
	over    chan struct{}
	limits  limits
	streams bool
	clocks  map[int64]bool  // event streams under way
	credit  map[int64]int64 // the bytes that may still be sent to each of them, and to each WebSocket
	uploads map[int64]*frame
	drained bool
}

func (w *worker) send(head object, body []byte) {
	encoded, _ := json.Marshal(head)
	if head["type"] == "response" && (int64(len(encoded)) > w.limits.JSONBytes || int64(len(body)) > w.limits.BodyBytes) {
		w.send(object{"type": "failure", "id": head["id"], "message": "the response is larger than the core takes"}, nil)
		return
	}
	all := binary.BigEndian.AppendUint32(make([]byte, 0, 8+len(encoded)+len(body)), uint32(len(encoded)))
	all = append(append(binary.BigEndian.AppendUint32(all, uint32(len(body))), encoded...), body...)
	select {
	case w.out <- all:
	case <-w.over:
	}
}

// write gives the core what waits in one write: most of the speed comes from that.
func (w *worker) write() {
	to := bufio.NewWriter(w.core)
	for {
		select {
		case each := <-w.out:
			to.Write(each)
			if len(w.out) == 0 {
				to.Flush() // the reader notices when that fails
			}
		case <-w.over:
			return
		}
	}
}

func (w *worker) answer(request *frame) {
	defer func() {
		if reason := recover(); reason != nil {
			w.send(object{"type": "failure", "id": request.ID, "message": fmt.Sprint(reason)}, nil)
		}
	}()
	status, headers, content := handle(request)
	w.send(object{"type": "response", "id": request.ID, "status": status, "headers": headers}, content)
}

func (w *worker) begin(request *frame) {
	switch {
	case request.Target == "/clock" && w.streams:
		events := headers{{"content-type", "text/event-stream"}, {"cache-control", "no-store"}}
		w.send(object{"type": "response", "id": request.ID, "status": 200, "headers": events, "more": true}, nil)
		w.clocks[request.ID], w.credit[request.ID] = true, w.limits.StreamBytes
	case request.Target == "/chat" && request.Websocket != nil:
		w.send(object{"type": "response", "id": request.ID, "status": 101, "more": true}, nil)
		w.credit[request.ID] = w.limits.StreamBytes
	default:
		go w.answer(request)
	}
}

// tick sends the time to all clocks; a client that doesn't read misses it.
func (w *worker) tick(now time.Time) {
	event := []byte("data: " + now.Format(time.TimeOnly) + "\n\n")
	for id := range w.clocks {
		if w.credit[id] > 0 {
			w.credit[id] -= int64(len(event))
			w.send(object{"type": "data", "id": id, "more": true}, event)
		}
		if w.drained { // browsers connect again, and find another worker
			w.endClock(id)
		}
	}
}

func (w *worker) take(came *frame) error {
	id := came.ID
	switch came.Type {
	case "welcome":
		w.limits, w.streams = came.Limits, slices.Contains(came.Features, "streams")
	case "request":
		if id == 0 {
			return fmt.Errorf("the core sent a request without an id")
		} else if came.More {
			w.uploads[id] = came
		} else {
			w.begin(came)
		}
	case "data":
		if upload := w.uploads[id]; upload != nil {
			upload.body = append(upload.body, came.body...)
			if !came.More {
				delete(w.uploads, id)
				w.begin(upload)
			}
		}
	case "credit":
		if _, open := w.credit[id]; open {
			w.credit[id] += came.Bytes
		}
	case "message":
		if w.credit[id] > 0 {
			w.credit[id] -= int64(len(came.body)) + 64
			w.send(object{"type": "message", "id": id, "text": came.Text}, came.body)
		}
	case "close":
		delete(w.credit, id)
		w.send(object{"type": "close", "id": id}, nil)
	case "cancel":
		if w.clocks[id] {
			w.endClock(id)
		} else if w.uploads[id] != nil {
			delete(w.uploads, id)
			w.send(object{"type": "failure", "id": id, "message": "cancelled"}, nil)
		}
	case "ping":
		w.send(object{"type": "pong"}, nil)
	case "drain":
		w.drained = true
	case "refused":
		return fmt.Errorf("refused: %s", came.Message)
	}
	return nil
}

func (w *worker) endClock(id int64) {
	delete(w.clocks, id)
	delete(w.credit, id)
	w.send(object{"type": "data", "id": id}, nil)
}

// serve goes on until the core hangs up, and tells whether one of the two has said drain.
func serve(socket string, terminated <-chan struct{}) (drained bool, err error) {
	core, err := net.Dial("unix", socket)
	if err != nil {
		return false, err
	}
	w := &worker{core: core, out: make(chan []byte, 64), over: make(chan struct{})}
	w.clocks, w.credit, w.uploads = map[int64]bool{}, map[int64]int64{}, map[int64]*frame{}
	defer core.Close()
	defer close(w.over)
	go w.write()
	window, _ := strconv.Atoi(os.Getenv("HANDOFF_CONCURRENCY"))
	hello := object{"type": "hello", "protocol": 1, "concurrency": cmp.Or(window, 64), "pid": os.Getpid(), "language": "go"}
	hello["pool"] = cmp.Or(os.Getenv("HANDOFF_POOL"), "default")
	hello["features"], hello["streams"] = []string{"streams", "websockets"}, 1000
	if token := os.Getenv("HANDOFF_TOKEN"); token != "" {
		hello["token"] = token
	}
	w.send(hello, nil)
	frames, ended := make(chan *frame), make(chan error, 1)
	go func() {
		for from := bufio.NewReaderSize(core, 1<<16); ; {
			came, err := read(from)
			if err != nil {
				ended <- err
				return
			}
			select {
			case frames <- came:
			case <-w.over:
				return
			}
		}
	}()
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	for {
		select {
		case came := <-frames:
			err = w.take(came)
		case now := <-seconds.C:
			w.tick(now)
		case <-terminated: // the core hangs up when it has all responses
			terminated, w.drained = nil, true
			w.send(object{"type": "drain"}, nil)
		case err = <-ended:
		}
		if err != nil {
			return w.drained && err == io.EOF, err
		}
	}
}

func main() {
	socket := os.Getenv("HANDOFF_SOCKET")
	if socket == "" {
		log.Print("HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'")
		os.Exit(2)
	}
	terminated, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	signal.Ignore(syscall.SIGINT) // Ctrl-C reaches the core, which drains its workers
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		begun := time.Now()
		drained, err := serve(socket, terminated.Done())
		if err != io.EOF {
			log.Print(err)
		}
		if os.Getenv("HANDOFF_TOKEN") != "" || terminated.Err() != nil { // a worker that the core started leaves with it
			if drained {
				os.Exit(0)
			}
			os.Exit(1)
		}
		if time.Since(begun) > 10*time.Second {
			pause = 100 * time.Millisecond
		}
		select {
		case <-time.After(time.Duration(float64(pause) * (0.5 + rand.Float64()))):
		case <-terminated.Done():
			os.Exit(0)
		}
	}
}
