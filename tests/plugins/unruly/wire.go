package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
)

// transport is standard input and output, or the socket of the environment.
func transport() (io.Reader, io.Writer, error) {
	path := os.Getenv("UTTER_PLUGIN_SOCKET")
	switch os.Getenv("UTTER_PLUGIN_TRANSPORT") {
	case "connect":
		conn, err := net.Dial("unix", path)
		return conn, conn, err
	case "listen":
		listener, err := net.Listen("unix", path)
		if err != nil {
			return nil, nil, err
		}
		conn, err := listener.Accept()
		return conn, conn, err
	}
	return os.Stdin, os.Stdout, nil
}

func (p *plugin) answer(id json.RawMessage, result any) {
	p.send(object{"jsonrpc": "2.0", "id": id, "result": result})
}

func (p *plugin) send(m object) {
	body, err := json.Marshal(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "unruly:", err)
		return
	}
	p.write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (p *plugin) write(bytes []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(bytes); err != nil && p.mode == "flood" {
		os.Exit(0)
	}
}

// read reads one frame.
func read(in *bufio.Reader) ([]byte, error) {
	length := -1
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" && length >= 0 {
			break
		}
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > 64<<20 {
				return nil, fmt.Errorf("a frame of %q bytes", value)
			}
		}
	}
	body := make([]byte, length)
	_, err := io.ReadFull(in, body)
	return body, err
}
