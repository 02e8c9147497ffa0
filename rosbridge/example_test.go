package rosbridge_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"sarathi/msg/std"
	"sarathi/rosbridge"
)

// A broker on a port of its own, with a topic and a service of the process that it runs in.
func ExampleBroker() {
	broker, err := rosbridge.NewBroker(rosbridge.DefaultConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := &http.Server{Handler: broker, ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(listener)
	ctx := context.Background()
	defer server.Close()
	defer broker.Close(ctx)

	robot := broker.Attach("/robot")
	mode, err := robot.Advertise("/mode", "std_msgs/String", rosbridge.TopicOptions{Latch: true, Exclusive: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	mode.PublishMessage(&std.String{Data: "auto"})
	err = robot.Serve("/stop", "std_srvs/Trigger", func(_ rosbridge.Request, reply func([]byte, error)) {
		reply([]byte(`{"success":true,"message":"stands"}`), nil)
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	page, _, err := websocket.Dial(ctx, "ws://"+listener.Addr().String(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer page.CloseNow()
	for _, frame := range []string{`{"op":"subscribe","topic":"/mode"}`, `{"op":"call_service","id":1,"service":"/stop"}`} {
		page.Write(ctx, websocket.MessageText, []byte(frame))
		_, answer, err := page.Read(ctx)
		fmt.Println(string(answer), err)
	}
	// Output:
	// {"op":"publish","topic":"/mode","msg":{"data":"auto"}} <nil>
	// {"op":"service_response","id":1,"service":"/stop","values":{"success":true,"message":"stands"},"result":true} <nil>
}
