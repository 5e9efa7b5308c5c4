// An HTTP server as Go has it, for "handoff run --http". It knows nothing of Handoff but PORT.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // The client is gone.
	}
	w.Header().Set("Echo-Method", r.Method)
	w.Header().Set("Echo-Target", r.RequestURI)
	w.Header().Set("Echo-Client", r.Header.Get("X-Forwarded-For"))
	w.Write(body)
}

func clock(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for r.Context().Err() == nil {
		fmt.Fprintf(w, "data: %s\n\n", time.Now().Format("15:04:05"))
		w.(http.Flusher).Flush()
		time.Sleep(time.Second)
	}
}

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello") })
	http.HandleFunc("/echo", echo)
	http.HandleFunc("/clock", clock)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
