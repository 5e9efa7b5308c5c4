package handoff

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

const pieceBytes = 64 << 10

// A response while its handler makes it, as net/http has it: whole where it is small, in pieces where it is flushed or large.
type response struct {
	to      *connection
	id      int64
	request *http.Request
	cancel  context.CancelFunc
	header  http.Header
	sent    [][2]string // the header as it was when WriteHeader was called
	status  int
	begun   bool
	content bytes.Buffer // what has not left yet
	lock    sync.Mutex
	granted *sync.Cond
	credit  int64
}

// answer runs the handler, in a goroutine of its own.
func (c *connection) answer(over context.Context, came *frame) {
	ctx, cancel := context.WithCancel(over)
	defer cancel()
	r := &response{to: c, id: came.ID, cancel: cancel, header: http.Header{}, credit: c.welcome.Limits.StreamBytes}
	r.granted = sync.NewCond(&r.lock)
	defer context.AfterFunc(ctx, r.granted.Broadcast)()
	c.answers.Store(r.id, r)
	defer c.answers.Delete(r.id)
	defer func() {
		if reason := recover(); reason != nil { // the client gets a 500, or is cut off in the middle
			if reason != http.ErrAbortHandler {
				log.Printf("handoff: %v\n%s", reason, debug.Stack())
			}
			c.send(object{"type": "failure", "id": r.id, "message": fmt.Sprint(reason)}, nil)
		}
	}()
	var err error
	if r.request, err = request(came); err != nil {
		http.Error(r, "400 Bad Request: "+err.Error(), http.StatusBadRequest)
	} else {
		r.request = r.request.WithContext(ctx)
		c.handler.ServeHTTP(r, r.request)
	}
	r.end()
}

func request(came *frame) (*http.Request, error) {
	target, err := url.ParseRequestURI(came.Target)
	if err != nil {
		return nil, err
	}
	r := &http.Request{Method: came.Method, URL: target, RequestURI: came.Target, RemoteAddr: came.Client, Header: http.Header{}}
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/"+came.Version, 1, int(came.Version[len(came.Version)-1]-'0')
	for _, each := range came.Headers {
		if each[0] == "host" {
			r.Host = each[1]
		} else {
			r.Header.Add(each[0], octets(each[1]))
		}
	}
	r.Body, r.ContentLength = http.NoBody, int64(len(came.body))
	if len(came.body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(came.body))
	}
	return r, nil
}

// octets makes of a header's characters the octets that they stand for, and characters the reverse.
func octets(text string) string {
	all := make([]byte, 0, len(text))
	for _, each := range text {
		all = append(all, byte(each))
	}
	return string(all)
}

func characters(octets string) string {
	var text strings.Builder
	for _, each := range []byte(octets) {
		text.WriteRune(rune(each))
	}
	return text.String()
}

func (r *response) Header() http.Header { return r.header }

func (r *response) WriteHeader(status int) {
	if r.status != 0 || status < 200 { // such as 103, which the core does not pass on
		return
	}
	r.status = status
	for name, values := range r.header {
		for _, value := range values {
			r.sent = append(r.sent, [2]string{name, strings.TrimSpace(characters(newlines.Replace(value)))})
		}
	}
}

var newlines = strings.NewReplacer("\n", " ", "\r", " ") // as net/http has it

func (r *response) Write(content []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.status == http.StatusNoContent || r.status == http.StatusNotModified {
		return 0, http.ErrBodyNotAllowed
	}
	r.content.Write(content)
	if r.content.Len() > pieceBytes && slices.Contains(r.to.welcome.Features, "streams") {
		return len(content), r.FlushError()
	}
	return len(content), nil
}

func (r *response) Flush() { _ = r.FlushError() }

// FlushError sends what there is, as soon as the client has room for it; http.ResponseController looks for it.
func (r *response) FlushError() error {
	r.WriteHeader(http.StatusOK)
	if !slices.Contains(r.to.welcome.Features, "streams") {
		return http.ErrNotSupported
	}
	if !r.begun {
		r.begin(nil, true)
	}
	for r.content.Len() > 0 {
		if !r.spend(min(r.content.Len(), pieceBytes)) {
			return r.request.Context().Err()
		}
		r.to.send(object{"type": "data", "id": r.id, "more": true}, r.content.Next(pieceBytes))
	}
	return nil
}

// spend waits for credit, and tells whether anybody still waits for the response.
func (r *response) spend(size int) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	for r.credit <= 0 && r.request.Context().Err() == nil {
		r.granted.Wait()
	}
	r.credit -= int64(size)
	return r.request.Context().Err() == nil
}

func (r *response) grant(size int64) {
	r.lock.Lock()
	r.credit += size
	r.lock.Unlock()
	r.granted.Broadcast()
}

func (r *response) begin(body []byte, more bool) {
	_, typed := r.header["Content-Type"]
	if content := r.content.Bytes(); !typed && len(content) > 0 && r.header.Get("Content-Encoding") == "" {
		r.sent = append(r.sent, [2]string{"Content-Type", http.DetectContentType(content)})
	}
	r.begun = true
	r.to.send(object{"type": "response", "id": r.id, "status": r.status, "headers": r.sent, "more": more}, body)
}

func (r *response) end() {
	r.WriteHeader(http.StatusOK)
	if !r.begun {
		r.begin(r.content.Bytes(), false)
		return
	}
	_ = r.FlushError()
	r.to.send(object{"type": "data", "id": r.id}, nil)
}
