// Package handoff serves any http.Handler behind Handoff: handoff.ListenAndServe takes the place of http.ListenAndServe.
package handoff

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ListenAndServe serves a handler, http.DefaultServeMux where it is nil. Where HANDOFF_SOCKET names a core, requests come
// from there and addr means nothing; else this is http.ListenAndServe. A worker that was drained ends in here with 0,
// since callers take what returns for a fault.
func ListenAndServe(addr string, handler http.Handler) error {
	socket := os.Getenv("HANDOFF_SOCKET")
	if socket == "" {
		return http.ListenAndServe(addr, handler)
	} else if handler == nil {
		handler = http.DefaultServeMux
	}
	signal.Ignore(syscall.SIGINT) // Ctrl-C reaches the core, which drains its workers
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		drained, err := serve(socket, handler, terminated)
		if os.Getenv("HANDOFF_TOKEN") != "" && !drained { // a worker that the core started leaves with it
			return fmt.Errorf("handoff: %w", err)
		} else if drained && (os.Getenv("HANDOFF_TOKEN") != "" || len(terminated) > 0) {
			os.Exit(0)
		}
		log.Print("handoff: ", err)
		select {
		case <-time.After(time.Duration(float64(pause) * (0.5 + rand.Float64()))):
		case <-terminated:
			os.Exit(0)
		}
	}
}

type object = map[string]any

// A frame from the core, with the keys that are needed here.
type frame struct {
	Type, Method, Target, Version, Client, Message string
	ID, Bytes                                      int64
	Headers                                        [][2]string
	More                                           bool
	Features                                       []string
	Limits                                         struct{ JSONBytes, BodyBytes, StreamBytes int64 }
	body                                           []byte
}

// A connection to the core. The goroutine of serve reads it; all others only send.
type connection struct {
	handler http.Handler
	welcome frame
	drained atomic.Bool
	waiting atomic.Int32 // for the lock of out
	lock    sync.Mutex
	out     *bufio.Writer
	answers sync.Map // the responses that are being made, by id
}

// dial waits for a place where very many connect to the core: net.Dial does not.
func dial(socket string) (net.Conn, error) {
	for {
		core, err := net.Dial("unix", socket)
		if !errors.Is(err, syscall.EAGAIN) {
			return core, err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func serve(socket string, handler http.Handler, terminated chan os.Signal) (bool, error) {
	core, err := dial(socket)
	if err != nil {
		return false, err
	}
	over, end := context.WithCancel(context.Background())
	defer end()
	defer core.Close()
	c := &connection{handler: handler, out: bufio.NewWriterSize(core, 1<<16)}
	window, _ := strconv.Atoi(os.Getenv("HANDOFF_CONCURRENCY"))
	hello := object{"type": "hello", "protocol": 1, "concurrency": cmp.Or(window, 256), "streams": 10000, "pid": os.Getpid()}
	hello["features"], hello["pool"] = []string{"streams"}, cmp.Or(os.Getenv("HANDOFF_POOL"), "default")
	if token := os.Getenv("HANDOFF_TOKEN"); token != "" {
		hello["token"] = token
	}
	c.send(hello, nil)
	go func() {
		select {
		case stop := <-terminated: // the core hangs up when it has all responses
			c.drained.Store(true)
			c.send(object{"type": "drain"}, nil)
			terminated <- stop
		case <-over.Done():
		}
	}()
	uploads := map[int64]*frame{} // requests in pieces
	for from := bufio.NewReaderSize(core, 1<<16); err == nil; {
		var came *frame
		if came, err = read(from); err == nil {
			err = c.take(over, came, uploads)
		}
	}
	return c.drained.Load() && err == io.EOF, err
}

func read(from io.Reader) (*frame, error) {
	var lengths [2]uint32
	if err := binary.Read(from, binary.BigEndian, &lengths); err != nil {
		return nil, err
	}
	both := make([]byte, int(lengths[0])+int(lengths[1]))
	if _, err := io.ReadFull(from, both); err != nil {
		return nil, err
	}
	came := &frame{body: both[lengths[0]:]}
	err := json.Unmarshal(both[:lengths[0]], came)
	if foreign := new(json.UnmarshalTypeError); errors.As(err, &foreign) && foreign.Field != "" { // a key of another type of message
		err = nil
	}
	return came, err
}

// send flushes when nobody waits to send more: under load one write takes many frames.
func (c *connection) send(head object, body []byte) {
	text, _ := json.Marshal(head)
	if head["type"] == "response" && (int64(len(text)) > c.welcome.Limits.JSONBytes || int64(len(body)) > c.welcome.Limits.BodyBytes) {
		c.send(object{"type": "failure", "id": head["id"], "message": "the response is larger than the core takes"}, nil)
		return
	}
	c.waiting.Add(1)
	c.lock.Lock()
	defer c.lock.Unlock()
	binary.Write(c.out, binary.BigEndian, [2]uint32{uint32(len(text)), uint32(len(body))})
	c.out.Write(text)
	c.out.Write(body)
	if c.waiting.Add(-1) == 0 {
		c.out.Flush() // the reader notices when that fails
	}
}

func (c *connection) take(over context.Context, came *frame, uploads map[int64]*frame) error {
	upload := uploads[came.ID]
	switch came.Type {
	case "welcome":
		c.welcome = *came
	case "request":
		if came.ID == 0 {
			return errors.New("the core sent a request without an id")
		} else if came.More {
			uploads[came.ID] = came
		} else {
			go c.answer(over, came)
		}
	case "data":
		if upload == nil {
			return nil
		}
		upload.body = append(upload.body, came.body...)
		if !came.More {
			delete(uploads, came.ID)
			go c.answer(over, upload)
		}
	case "credit", "cancel":
		if answer, ok := c.answers.Load(came.ID); ok && came.Type == "credit" {
			answer.(*response).grant(came.Bytes)
		} else if ok {
			answer.(*response).cancel()
		} else if upload != nil && came.Type == "cancel" {
			delete(uploads, came.ID)
			c.send(object{"type": "failure", "id": came.ID, "message": "cancelled"}, nil)
		}
	case "ping":
		c.send(object{"type": "pong"}, nil)
	case "drain":
		c.drained.Store(true)
	case "refused":
		return errors.New("refused: " + came.Message)
	}
	return nil
}
