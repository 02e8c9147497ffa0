package rosbridge

import (
	"net"
	"net/netip"
	"os"
	"strconv"

	"sarathi/internal/config"
	"sarathi/rosbridge"
)

// Name is the node's name on the bus.
const Name = "rosbridge_node"

// Config is what an operator can choose about the rosbridge server.
type Config struct {
	Enabled  bool     `doc:"serve rosbridge clients: browsers, scripts, ROS tools, this program's own commands"`
	Bind     string   `doc:"address to listen on; 127.0.0.1: this computer only, 0.0.0.0: every network of the robot"`
	Port     int      `doc:"TCP port; 0: any that is free"`
	Dialect  string   `doc:"ros2 or ros1: how types are spelled for clients that do not ask (?ros=1 in the URL asks)"`
	Token    string   `doc:"every client must know it, as ?token= or as a bearer; empty: see token_env"`
	TokenEnv string   `doc:"environment variable that holds the token when token is empty"`
	Origins  []string `doc:"web pages of other computers that may connect, such as https://app.foxglove.dev; * stands for any text"`
	Cert     string   `doc:"file with the TLS certificate; empty: no TLS"`
	Key      string   `doc:"file with its private key"`

	MaxClients int `doc:"clients at a time"`
	MaxMessage int `unit:"B" doc:"longest message of a client"`
	Budget     int `unit:"B" doc:"memory that one client may cost that does not read"`

	Access Access `doc:"what clients may use, by names in which * stands for any text; nothing listed: everything"`
}

// Access is what clients may use.
type Access struct {
	Publish   []string `doc:"topics that clients may publish, of those that clients may publish at all"`
	Subscribe []string `doc:"topics that clients may see"`
	Call      []string `doc:"services that clients may call"`
	Serve     []string `doc:"services that clients may offer"`
}

// DefaultConfig serves this computer only.
func DefaultConfig() Config {
	b := rosbridge.DefaultConfig()
	return Config{
		Enabled: true, Bind: "127.0.0.1", Port: 9091, Dialect: "ros2", TokenEnv: "SARATHI_ROSBRIDGE_TOKEN",
		MaxClients: b.MaxClients, MaxMessage: b.MaxMessage, Budget: b.Budget,
	}
}

// Validate reports what the gateway cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.NotEmpty("bind", c.Bind)
	p.IntInRange("port", c.Port, 0, 65535)
	p.OneOf("dialect", c.Dialect, "ros2", "ros1")
	p.IntInRange("max_clients", c.MaxClients, 1, 100_000)
	p.IntInRange("max_message", c.MaxMessage, 1<<10, 1<<30)
	p.Require(c.Budget >= 4*c.MaxMessage, "budget", "%d is less than four times max_message, %d: the longest message would never arrive", c.Budget, c.MaxMessage)
	p.Require((c.Cert == "") == (c.Key == ""), "key", "cert and key belong together: give both or neither")
	return p.Err()
}

// Address returns where to listen.
func (c Config) Address() string { return net.JoinHostPort(c.Bind, strconv.Itoa(c.Port)) }

// local reports whether only this computer can connect.
func (c Config) local() bool {
	ip, err := netip.ParseAddr(c.Bind)
	return c.Bind == "localhost" || err == nil && ip.IsLoopback()
}

func (c Config) token() string {
	if c.Token != "" || c.TokenEnv == "" {
		return c.Token
	}
	return os.Getenv(c.TokenEnv)
}

// broker is the part that the broker is told. nil lists allow everything.
func (c Config) broker() rosbridge.Config {
	b := rosbridge.DefaultConfig()
	if c.Dialect == "ros1" {
		b.Dialect = rosbridge.ROS1
	}
	b.Token, b.Origins = c.token(), c.Origins
	b.MaxClients, b.MaxMessage, b.Budget = c.MaxClients, c.MaxMessage, c.Budget
	list := func(names []string) []string {
		if len(names) == 0 {
			return nil
		}
		return names
	}
	b.Access.Publish, b.Access.Subscribe = list(c.Access.Publish), list(c.Access.Subscribe)
	b.Access.Call, b.Access.Serve = list(c.Access.Call), list(c.Access.Serve)
	return b
}
