package handoff

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestDialWaitsForAPlace fills the backlog of a socket on which nobody accepts yet.
func TestDialWaitsForAPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "core.sock")
	listening, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(listening)
	if err := syscall.Bind(listening, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(listening, 0); err != nil {
		t.Fatal(err)
	}
	first, err := dial(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	go func() {
		time.Sleep(200 * time.Millisecond)
		for range 2 {
			if _, _, err := syscall.Accept(listening); err != nil {
				return
			}
		}
	}()
	second, err := dial(path)
	if err != nil {
		t.Fatal("it did not wait: ", err)
	}
	second.Close()
}
