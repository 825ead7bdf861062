// The steps of a user of go-stomp: every version, and the death of the member that serves it.
//
// Reads STOMP_PORTS (three ports, one for each member), STOMP_PID (the process of the second member) and STOMP_UNACKED (how many
// messages of a subscription may wait for their acknowledgement).
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-stomp/stomp/v3"
	"github.com/go-stomp/stomp/v3/frame"
)

const deadline = 30 * time.Second

func check(isRight bool, what string, details ...any) {
	if !isRight {
		fmt.Println("FAILED:", what, details)
		os.Exit(1)
	}
}

func must(err error, what string) {
	check(err == nil, what, err)
}

func connect(port string, options ...func(*stomp.Conn) error) *stomp.Conn {
	options = append(options, stomp.ConnOpt.Login("ann", "a:passcode"), stomp.ConnOpt.Host("here"),
		stomp.ConnOpt.HeartBeat(2*time.Second, 2*time.Second))
	conn, err := stomp.Dial("tcp", "127.0.0.1:"+port, options...)
	must(err, "connect to "+port)
	return conn
}

func receive(subscription *stomp.Subscription) *stomp.Message {
	select {
	case message := <-subscription.C:
		check(message != nil && message.Err == nil, "a message", message)
		return message
	case <-time.After(deadline):
		check(false, "no message in time")
		return nil
	}
}

func basics(ports []string, version stomp.Version) {
	conn := connect(ports[0], stomp.ConnOpt.AcceptVersion(version))
	other := connect(ports[2], stomp.ConnOpt.AcceptVersion(version))
	check(conn.Version() == version, "version", conn.Version())
	destination := "/topic/go/" + version.String()
	otherHeard, err := other.Subscribe(destination, stomp.AckAuto)
	must(err, "subscribe")
	heard, err := conn.Subscribe(destination, stomp.AckClientIndividual)
	must(err, "subscribe")
	// A frame with a receipt comes behind the subscriptions.
	must(conn.Send("/topic/go/barrier", "", nil, stomp.SendOpt.Receipt), "barrier")
	must(other.Send("/topic/go/barrier", "", nil, stomp.SendOpt.Receipt), "barrier")
	value := "plain"
	if version != stomp.V10 {
		value = "a:b\nc\\d"
	}
	must(conn.Send(destination, "text/plain", []byte("hällo"), stomp.SendOpt.Header("key", value), stomp.SendOpt.Receipt), "send")
	must(conn.Send(destination, "", []byte("nul\x00nul"), stomp.SendOpt.Receipt), "send")
	for _, each := range []*stomp.Subscription{heard, otherHeard} {
		first := receive(each)
		check(string(first.Body) == "hällo" && first.Header.Get("key") == value, "first message", first)
		second := receive(each)
		check(string(second.Body) == "nul\x00nul", "second message", second)
		if each == heard {
			must(conn.Ack(first), "ack")
			if version != stomp.V10 {
				must(conn.Nack(second), "nack")
			}
		}
	}
	kept, dropped := conn.Begin(), conn.Begin()
	must(kept.Send(destination, "", []byte("kept")), "send in a transaction")
	must(dropped.Send(destination, "", []byte("dropped")), "send in a transaction")
	must(dropped.Abort(), "abort")
	must(kept.Commit(), "commit")
	check(string(receive(otherHeard).Body) == "kept", "the transaction")
	must(conn.Disconnect(), "disconnect")
	err = other.Send("/nowhere", "", nil, stomp.SendOpt.Receipt)
	check(err != nil && strings.Contains(err.Error(), "/topic/"), "an error", err)
	fmt.Println("  STOMP " + version.String() + ": right")
}

// A member keeps so many messages for who has not acknowledged them, and refuses more.
func acknowledgements(port string, unacked int) {
	destination := "/topic/go/acknowledged"
	some := unacked * 2 / 3
	conn := connect(port)
	var heard *stomp.Subscription
	subscribe := func(mode stomp.AckMode) {
		var err error
		heard, err = conn.Subscribe(destination, mode)
		must(err, "subscribe")
	}
	take := func(acknowledge func(messages []*stomp.Message)) {
		messages := []*stomp.Message{}
		for count := 0; count < some; count++ {
			must(conn.Send(destination, "", []byte("a")), "send")
		}
		for count := 0; count < some; count++ {
			messages = append(messages, receive(heard))
		}
		acknowledge(messages)
	}
	inTransaction := func(end func(transaction *stomp.Transaction) error) func(messages []*stomp.Message) {
		return func(messages []*stomp.Message) {
			transaction := conn.Begin()
			for _, message := range messages {
				must(transaction.Ack(message), "ack in a transaction")
			}
			must(end(transaction), "the end of a transaction")
		}
	}
	subscribe(stomp.AckClient)
	for round := 0; round < 3; round++ {
		take(func(messages []*stomp.Message) { must(conn.Ack(messages[some-1]), "ack") })
	}
	must(heard.Unsubscribe(), "unsubscribe")
	subscribe(stomp.AckClientIndividual)
	for round := 0; round < 3; round++ {
		take(func(messages []*stomp.Message) {
			for _, message := range messages {
				must(conn.Ack(message), "ack")
			}
		})
	}
	for round := 0; round < 3; round++ {
		take(inTransaction((*stomp.Transaction).Commit))
	}
	must(conn.Send("/topic/go/barrier", "", nil, stomp.SendOpt.Receipt), "all was acknowledged")
	take(inTransaction((*stomp.Transaction).Abort))
	for count := 0; count < some && conn.Send(destination, "", []byte("too many")) == nil; count++ {
	}
	for {
		select {
		case message := <-heard.C:
			if message.Err != nil {
				check(strings.Contains(message.Err.Error(), "wait for ACK"), "an error of too many", message.Err)
				return
			}
		case <-time.After(deadline):
			check(false, "no error though nothing was acknowledged")
		}
	}
}

func failOver(ports []string, count int) {
	destination := "/topic/go/failover"
	victim, _ := strconv.Atoi(os.Getenv("STOMP_PID"))
	control := connect(ports[0])
	controlHeard, err := control.Subscribe(destination, stomp.AckAuto)
	must(err, "subscribe")
	// Read all the time: this client sends no heart-beats while a message waits to be taken.
	all, allThere := map[string]bool{}, make(chan bool)
	go func() {
		for message := range controlHeard.C {
			check(message.Err == nil, "a message at one who stays", message.Err)
			all[string(message.Body)] = true
			if len(all) == count {
				close(allThere)
				return
			}
		}
	}()
	subscriber := connect(ports[1])
	heard, err := subscriber.Subscribe(destination, stomp.AckAuto)
	must(err, "subscribe")
	must(control.Send("/topic/go/barrier", "", nil, stomp.SendOpt.Receipt), "barrier")
	must(subscriber.Send("/topic/go/barrier", "", nil, stomp.SendOpt.Receipt), "barrier")
	endpoints := ""
	sender := connect(ports[1], stomp.ConnOpt.ResponseHeaders(func(header *frame.Header) {
		endpoints = header.Get("endpoints")
	}))
	others := []string{}
	for _, each := range strings.Split(endpoints, ",") {
		if strings.HasPrefix(each, "stomp://") {
			others = append(others, each[strings.LastIndex(each, ":")+1:])
		}
	}
	check(len(others) == 2, "endpoints", endpoints)

	// Messages that the client received before it lost its member.
	seen, last := map[string]bool{}, map[string]string{}
	var ended sync.WaitGroup
	ended.Add(1)
	go func() {
		defer ended.Done()
		for message := range heard.C {
			if message.Err != nil {
				return
			}
			id := message.Header.Get("message-id")
			last[id[:strings.LastIndex(id, "-")]] = id
			seen[string(message.Body)] = true
		}
	}()
	receipts := map[string]bool{}
	for number := 0; number < count; number++ {
		body := "m" + strconv.Itoa(number)
		if number == count/2 {
			// In the middle of sending, so that some are under way.
			time.AfterFunc(time.Millisecond, func() { _ = syscall.Kill(victim, syscall.SIGKILL) })
		}
		if sender.Send(destination, "", []byte(body), stomp.SendOpt.Receipt) != nil {
			break
		}
		receipts[body] = true
	}
	ended.Wait()
	before := len(receipts)
	resume := []string{}
	for _, id := range last {
		resume = append(resume, id)
	}
	again := connect(others[1])
	againHeard, err := again.Subscribe(destination, stomp.AckAuto, stomp.SubscribeOpt.Header("resume", strings.Join(resume, ",")))
	must(err, "subscribe")
	go func() {
		for number := 0; number < count; number++ {
			body := "m" + strconv.Itoa(number)
			if !receipts[body] {
				must(again.Send(destination, "", []byte(body), stomp.SendOpt.Receipt), "send again")
			}
		}
	}()
	for len(seen) < count {
		seen[string(receive(againHeard).Body)] = true
	}
	select {
	case <-allThere:
	case <-time.After(deadline):
		check(false, "all messages at one who stays")
	}
	fmt.Printf("  %d receipts before the kill, %d after it, nothing lost\n", before, count-before)
}

func main() {
	ports := strings.Fields(os.Getenv("STOMP_PORTS"))
	for _, version := range []stomp.Version{stomp.V10, stomp.V11, stomp.V12} {
		basics(ports, version)
	}
	unacked, err := strconv.Atoi(os.Getenv("STOMP_UNACKED"))
	must(err, "STOMP_UNACKED")
	acknowledgements(ports[0], unacked)
	fmt.Println("  acknowledgements: right")
	idle := connect(ports[0])
	time.Sleep(6 * time.Second)
	must(idle.Send("/topic/go/idle", "", nil, stomp.SendOpt.Receipt), "heart-beats")
	fmt.Println("  heart-beats: right")
	failOver(ports, 400)
}
