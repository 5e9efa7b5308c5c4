// Go's net/http: says in a field of its answer which request it saw, its parts in hex.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
)

func shown(body []byte) string {
	if len(body) <= 1024 {
		return hex.EncodeToString(body)
	}
	return fmt.Sprintf("%d:%x", len(body), sha256.Sum256(body))
}

func answer(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	response.Header().Set("Content-Length", "0")
	if err != nil {
		response.Header().Set("Refused", err.Error())
		response.Header().Set("Connection", "close")
		response.WriteHeader(400)
		return
	}
	response.Header().Set("Echo", fmt.Sprintf("%x.%x.%s", request.Method, request.RequestURI, shown(body)))
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	server := http.Server{Handler: http.HandlerFunc(answer), DisableGeneralOptionsHandler: true}
	log.Fatal(server.Serve(listener))
}
