package handoff

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The same handlers serve by httptest, and behind a real core as a worker, which is this program itself.
func handlers() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/request", func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		r.Header.Del("X-Request-Id") // which the core gives to each
		all := []any{r.Method, r.URL.String(), r.RequestURI, r.Host, r.Proto, r.ProtoMajor, r.ProtoMinor, r.Header, r.ContentLength, content}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(all)
	})
	mux.HandleFunc("POST /form", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.FormValue("name"), r.PostFormValue("text"))
	})
	mux.HandleFunc("GET /names/{name}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("name")) })
	mux.HandleFunc("/sniffed", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<!doctype html><p>hello") })
	mux.HandleFunc("/untyped", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = nil
		fmt.Fprint(w, "hello")
	})
	mux.HandleFunc("/empty", func(w http.ResponseWriter, r *http.Request) {})
	mux.HandleFunc("/late-header", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(418)
		w.Header().Set("X-Late", "yes")
		w.WriteHeader(500)
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Set-Cookie", "a=1")
		w.Header().Add("Set-Cookie", "b=2")
		w.Header().Set("X-Latin", "J\xfcrgen")
		w.Header().Set("X-Lines", "one\r\ntwo")
	})
	mux.HandleFunc("/no-content", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(204)
		if _, err := fmt.Fprint(w, "x"); err != http.ErrBodyNotAllowed {
			panic(err)
		}
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < 50_000; i++ {
			fmt.Fprintf(w, "line %d of a response that comes in pieces\n", i)
		}
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/panics", func(w http.ResponseWriter, r *http.Request) { panic("as it should") })
	mux.HandleFunc("/flushed", func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < 3; i++ {
			fmt.Fprintf(w, "data: %d\n\n", i)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	})
	mux.Handle("/served", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "text.txt", time.Unix(1_000_000_000, 0), strings.NewReader("0123456789"))
	}))
	mux.Handle("/timeout", http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), time.Millisecond, "late"))
	mux.Handle("/moved", http.RedirectHandler("/sniffed?a=b", http.StatusFound))
	return mux
}

func TestMain(m *testing.M) {
	if os.Getenv("HANDOFF_SOCKET") != "" {
		fmt.Fprintln(os.Stderr, ListenAndServe("", handlers()))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// behindCore starts Handoff with this program as its worker; at the end it has to be drained without a fault.
func behindCore(t *testing.T) string {
	t.Helper()
	core := exec.Command("../../handoff", "run", "--port", "0", "--admin-port", "0", "--workers", "1", "--", os.Args[0])
	output, err := core.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	core.Stderr = core.Stdout
	if err := core.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	var all []string
	address := ""
	for address == "" && lines.Scan() {
		all = append(all, lines.Text())
		if found := regexp.MustCompile(`^→ (http://.+)/$`).FindStringSubmatch(lines.Text()); found != nil {
			address = found[1]
		}
	}
	if address == "" {
		t.Fatal(strings.Join(all, "\n"))
	}
	done := make(chan string)
	go func() {
		var rest bytes.Buffer
		for lines.Scan() {
			rest.WriteString(lines.Text() + "\n")
		}
		done <- rest.String()
	}()
	t.Cleanup(func() {
		_ = core.Process.Signal(syscall.SIGTERM)
		log := <-done
		if err := core.Wait(); err != nil {
			t.Errorf("%v: %s", err, log)
		} else if unexpected := strings.NewReplacer("WARN  the handler failed in default-1: as it should", "", "WARN  the workers run as root", "").Replace(log); strings.Contains(unexpected, "WARN") {
			t.Error(log)
		}
	})
	return address
}

type answer struct {
	Status  int
	Proto   string
	Headers http.Header
	Content string
}

func ask(t *testing.T, base string, method, target string, headers http.Header, content io.Reader) answer {
	t.Helper()
	request, err := http.NewRequest(method, base+target, content)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range headers {
		request.Header[name] = values
	}
	request.Host = "example.org"
	came, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer came.Body.Close()
	all, err := io.ReadAll(came.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, ofEachServer := range []string{"Date", "Content-Length", "X-Request-Id"} {
		came.Header.Del(ofEachServer)
	}
	return answer{came.StatusCode, came.Proto, came.Header, string(all)}
}

func TestAnswersAsNetHttpDoes(t *testing.T) {
	own := httptest.NewServer(handlers())
	defer own.Close()
	core := behindCore(t)
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	for _, each := range []struct {
		method, target string
		headers        http.Header
		content        string
	}{
		{"GET", "/request?a=%2F&b", http.Header{"X-Many": {"1", "2"}, "Cookie": {"a=1; b=2"}, "X-Latin": {"J\xfcrgen"}, "Accept": {"*/*"}}, ""},
		{"PUT", "/request", nil, "content \x00\xff"},
		{"POST", "/request", http.Header{"Content-Type": {"text/plain"}}, strings.Repeat("long ", 100_000)},
		{"BREW", "/request", nil, ""},
		{"HEAD", "/request", nil, ""},
		{"OPTIONS", "/request", nil, ""},
		{"POST", "/form?name=n", form, "text=t+%C3%BC"},
		{"GET", "/names/J%C3%BCrgen%2Fx", nil, ""},
		{"POST", "/names/x", nil, ""}, // 405
		{"GET", "/no/such/page", nil, ""},
		{"GET", "/names/../sniffed", nil, ""}, // cleaned by a redirect
		{"GET", "/sniffed", nil, ""},
		{"HEAD", "/sniffed", nil, ""},
		{"GET", "/untyped", nil, ""},
		{"GET", "/empty", nil, ""},
		{"GET", "/late-header", nil, ""},
		{"GET", "/headers", nil, ""},
		{"GET", "/no-content", nil, ""},
		{"GET", "/large", nil, ""},
		{"GET", "/served", nil, ""},
		{"HEAD", "/served", nil, ""},
		{"GET", "/served", http.Header{"Range": {"bytes=2-4"}}, ""},
		{"GET", "/served", http.Header{"Range": {"bytes=20-"}}, ""},
		{"GET", "/served", http.Header{"If-Modified-Since": {"Sun, 09 Sep 2001 01:46:40 GMT"}}, ""},
		{"GET", "/timeout", nil, ""},
		{"GET", "/moved", nil, ""},
	} {
		t.Run(each.method+" "+each.target, func(t *testing.T) {
			expected := fmt.Sprintf("%+v", ask(t, own.URL, each.method, each.target, each.headers, strings.NewReader(each.content)))
			came := fmt.Sprintf("%+v", ask(t, core, each.method, each.target, each.headers, strings.NewReader(each.content)))
			if expected != came {
				t.Errorf("net/http answers\n%s\nbehind the core comes\n%s", expected, came)
			}
		})
	}
}

func TestPanicIsA500(t *testing.T) {
	core := behindCore(t)
	for i := 0; i < 2; i++ {
		if came := ask(t, core, "GET", "/panics", nil, nil); came.Status != 500 {
			t.Error(came)
		}
	}
}

func TestFlushedPartsArriveAndLeavingEndsTheHandler(t *testing.T) {
	core := behindCore(t)
	for _, target := range []string{"/flushed", "/flushed"} {
		came, err := http.Get(core + target)
		if err != nil {
			t.Fatal(err)
		}
		part := make([]byte, len("data: 0\n\ndata: 1\n\ndata: 2\n\n"))
		if _, err := io.ReadFull(came.Body, part); err != nil || !strings.HasSuffix(string(part), "data: 2\n\n") {
			t.Error(string(part), err)
		}
		came.Body.Close() // the drain at the end waits for the handler, which waits for this
	}
}
