package rosbridge

import (
	"context"
	"encoding/json"
	"fmt"
)

// NameType is a topic or service with its type, in the server's spelling.
type NameType struct{ Name, Type string }

// NodeInfo tells what a node does, as names of topics and services.
type NodeInfo struct {
	Subscribing []string `json:"subscribing"`
	Publishing  []string `json:"publishing"`
	Services    []string `json:"services"`
}

// ask calls a service of rosapi.
func (c *Client) ask(ctx context.Context, service string, request, response any) error {
	args, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("call /rosapi/%s: %w", service, err)
	}
	values, err := c.call(ctx, "/rosapi/"+service, args)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(values, response); err != nil {
		return fmt.Errorf("answer of /rosapi/%s: %w", service, err)
	}
	return nil
}

// Topics returns all topics that the server knows, in its order.
func (c *Client) Topics(ctx context.Context) ([]NameType, error) {
	var r struct{ Topics, Types []string }
	if err := c.ask(ctx, "topics", struct{}{}, &r); err != nil {
		return nil, err
	}
	out := make([]NameType, len(r.Topics))
	for i, name := range r.Topics {
		out[i].Name = name
		if i < len(r.Types) {
			out[i].Type = r.Types[i]
		}
	}
	return out, nil
}

// names asks for a list of names.
func (c *Client) names(ctx context.Context, service, field string, request any) ([]string, error) {
	var r map[string]json.RawMessage
	if err := c.ask(ctx, service, request, &r); err != nil {
		return nil, err
	}
	var out []string
	if list := r[field]; list != nil {
		if err := json.Unmarshal(list, &out); err != nil {
			return nil, fmt.Errorf("answer of /rosapi/%s: %w", service, err)
		}
	}
	return out, nil
}

// text asks for one text.
func (c *Client) text(ctx context.Context, service, field string, request any) (string, error) {
	var r map[string]json.RawMessage
	if err := c.ask(ctx, service, request, &r); err != nil {
		return "", err
	}
	var out string
	if s := r[field]; s != nil {
		if err := json.Unmarshal(s, &out); err != nil {
			return "", fmt.Errorf("answer of /rosapi/%s: %w", service, err)
		}
	}
	return out, nil
}

type (
	askTopic struct {
		Topic string `json:"topic"`
	}
	askService struct {
		Service string `json:"service"`
	}
	askType struct {
		Type string `json:"type"`
	}
	askNode struct {
		Node string `json:"node"`
	}
	askName struct {
		Name string `json:"name"`
	}
)

// TopicType returns the type of a topic, "" when the server does not know it.
func (c *Client) TopicType(ctx context.Context, topic string) (string, error) {
	return c.text(ctx, "topic_type", "type", askTopic{topic})
}

// TopicsOfType returns the topics of a type, which is to be spelled as the server does.
func (c *Client) TopicsOfType(ctx context.Context, typeName string) ([]string, error) {
	return c.names(ctx, "topics_for_type", "topics", askType{typeName})
}

// PublishersOf returns the nodes that publish a topic.
func (c *Client) PublishersOf(ctx context.Context, topic string) ([]string, error) {
	return c.names(ctx, "publishers", "publishers", askTopic{topic})
}

// SubscribersOf returns the nodes that are subscribed to a topic.
func (c *Client) SubscribersOf(ctx context.Context, topic string) ([]string, error) {
	return c.names(ctx, "subscribers", "subscribers", askTopic{topic})
}

// Services returns the names of all services.
func (c *Client) Services(ctx context.Context) ([]string, error) {
	return c.names(ctx, "services", "services", struct{}{})
}

// ServiceType returns the type of a service, "" when the server does not know it.
func (c *Client) ServiceType(ctx context.Context, service string) (string, error) {
	return c.text(ctx, "service_type", "type", askService{service})
}

// ServiceNode returns the node that serves a service.
func (c *Client) ServiceNode(ctx context.Context, service string) (string, error) {
	return c.text(ctx, "service_node", "node", askService{service})
}

// Nodes returns the names of all nodes.
func (c *Client) Nodes(ctx context.Context) ([]string, error) {
	return c.names(ctx, "nodes", "nodes", struct{}{})
}

// NodeDetails tells what a node does.
func (c *Client) NodeDetails(ctx context.Context, node string) (NodeInfo, error) {
	var out NodeInfo
	err := c.ask(ctx, "node_details", askNode{node}, &out)
	return out, err
}

// ActionServers returns the names of all actions that somebody serves.
func (c *Client) ActionServers(ctx context.Context) ([]string, error) {
	return c.names(ctx, "action_servers", "action_servers", struct{}{})
}

// ParamNames returns the names of all parameters.
func (c *Client) ParamNames(ctx context.Context) ([]string, error) {
	return c.names(ctx, "get_param_names", "names", struct{}{})
}

// Param returns the value of a parameter as JSON, "null" when the server does not have it.
func (c *Client) Param(ctx context.Context, name string) ([]byte, error) {
	value, err := c.paramText(ctx, "get_param", struct {
		Name    string `json:"name"`
		Default string `json:"default_value,omitempty"`
	}{Name: name})
	if err != nil {
		return nil, err
	}
	if value == "" {
		return []byte("null"), nil
	}
	return []byte(value), nil
}

// SetParam gives a parameter a value, as JSON.
func (c *Client) SetParam(ctx context.Context, name string, value []byte) error {
	if !json.Valid(value) {
		return fmt.Errorf("parameter %s: %s is not JSON: put quotes around a text", name, value)
	}
	_, err := c.paramText(ctx, "set_param", struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}{name, string(value)})
	return err
}

// DeleteParam removes a parameter.
func (c *Client) DeleteParam(ctx context.Context, name string) error {
	_, err := c.paramText(ctx, "delete_param", askName{name})
	return err
}

// paramText calls a parameter service. Newer servers tell in the response whether it was done.
func (c *Client) paramText(ctx context.Context, service string, request any) (string, error) {
	var r struct {
		Value      string
		Successful *bool
		Reason     string
	}
	if err := c.ask(ctx, service, request, &r); err != nil {
		return "", err
	}
	if r.Successful != nil && !*r.Successful {
		return "", &RemoteError{Name: "/rosapi/" + service, Message: r.Reason}
	}
	return r.Value, nil
}
