// Oracle answers questions with the Go code that Kubernetes itself runs: one JSON case per line in, one answer per line out.
// Farrier's TypeScript is compared with these answers, and timed against the same code.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-logr/logr"
)

// maxLineBytes bounds one case: the largest pod template etcd stores is far below it.
const maxLineBytes = 16 << 20

// question is one line of input: which concept, and the case that concept understands.
type question struct {
	Concept string          `json:"concept"`
	Case    json.RawMessage `json:"case"`
}

// answer is one line of output; exactly one of its fields is set.
type answer struct {
	Value any    `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
	Panic string `json:"panic,omitempty"`
}

var concepts = map[string]func(json.RawMessage) (any, error){
	"smp":          strategicMerge,
	"selector":     matchSelector,
	"selectorText": matchSelectorText,
	"taint":        matchTaints,
	"affinity":     matchAffinity,
	"shouldRun":    shouldRun,
	"intOrPercent": scaleIntOrPercent,
	"regexp":       matchRegexp,
	"quantity":     compareQuantities,
	"json":         canonicalJSON,
	"bench":        bench,
}

// quiet swallows what the Kubernetes helpers log about values they cannot parse.
var quiet = logr.Discard()

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 64<<10), maxLineBytes)
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		if err := encoder.Encode(reply(lines.Bytes())); err != nil {
			fail(err)
		}
		if err := out.Flush(); err != nil {
			fail(err)
		}
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
}

// reply answers one line. A panic in Kubernetes' code is an answer too, and must not end the conversation.
func reply(line []byte) (result answer) {
	defer func() {
		if recovered := recover(); recovered != nil {
			result = answer{Panic: fmt.Sprint(recovered)}
		}
	}()
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		fail(fmt.Errorf("the line is not a question: %w", err))
	}
	concept, known := concepts[asked.Concept]
	if !known {
		fail(fmt.Errorf("unknown concept %q", asked.Concept))
	}
	value, err := concept(asked.Case)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: value}
}

// decode reads a case. Our generators promise well-formed cases, so a refusal is a mistake of ours and not an answer.
func decode[T any](text json.RawMessage) T {
	var decoded T
	if err := json.Unmarshal(text, &decoded); err != nil {
		fail(fmt.Errorf("the case does not decode into %T: %w: %.2000s", decoded, err, text))
	}
	return decoded
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "oracle:", err)
	os.Exit(1)
}
