// An http.ServeMux as any server has it: behind Handoff with 'handoff run', and by itself without.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"handoff"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "hello\n")
	})
	mux.HandleFunc("GET /greetings/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<p>Hello %s, from %s\n", r.PathValue("name"), r.Host)
	})
	mux.HandleFunc("GET /clock", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			fmt.Fprintf(w, "data: %s\n\n", time.Now().Format(time.TimeOnly))
			w.(http.Flusher).Flush()
			time.Sleep(time.Second)
		}
	})
	address := ":8000"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	log.Fatal(handoff.ListenAndServe(address, mux))
}
