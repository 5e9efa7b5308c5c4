// Go's net/http client: asks for each line `NUMBER REQUEST` of its input, and says what came as JSON.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

// Each question has a connection of its own, and content stays as it came.
var transport = &http.Transport{DisableKeepAlives: true, DisableCompression: true}

func ask(port, number, kind string) map[string]any {
	method := http.MethodGet
	if kind == "HEAD" {
		method = http.MethodHead
	}
	request, err := http.NewRequest(method, "http://127.0.0.1:"+port+"/"+number, nil)
	if err != nil {
		log.Fatal(err)
	}
	if kind == "UPGRADE" {
		request.Header.Set("Connection", "Upgrade")
		request.Header.Set("Upgrade", "websocket")
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return map[string]any{"refused": err.Error()}
	}
	defer response.Body.Close()
	var content []byte
	if response.StatusCode != http.StatusSwitchingProtocols {
		content, err = io.ReadAll(response.Body)
	}
	if err != nil {
		return map[string]any{"refused": err.Error()}
	}
	return map[string]any{"status": response.StatusCode, "content": hex.EncodeToString(content)}
}

func main() {
	log.SetOutput(io.Discard)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		number, kind, _ := strings.Cut(lines.Text(), " ")
		said, err := json.Marshal(ask(os.Args[1], number, kind))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(said))
	}
}
