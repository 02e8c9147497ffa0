package rosbridge

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"sarathi/internal/idl"
	"sarathi/msg"
	rostime "sarathi/msg/builtin"
	"sarathi/msg/rosapi"
)

// ownService is a service of the broker itself. serve returns the response as JSON.
type ownService struct {
	typ   string // canonical, as ROS 2 calls it
	slow  bool   // asks a [ParamSource]
	serve func(p *peer, name string, args []byte) ([]byte, error)
}

// rosapiNode is the node that the services below /rosapi belong to.
const rosapiNode = "/rosapi"

// ask makes a service of a function on typed messages.
func ask[Req any, P interface {
	*Req
	idl.Message
}](b *Broker, typ *idl.ServiceType, answer func(p *peer, req *Req) (idl.Message, error)) ownService {
	return ownService{typ: typ.ROS1Name(), serve: func(p *peer, name string, args []byte) ([]byte, error) {
		text, err := b.namedArgs(&service{name: name, info: typ}, args)
		if err != nil {
			return nil, err
		}
		var req Req
		if err = P(&req).ParseJSON(text); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", name, err)
		}
		resp, err := answer(p, &req)
		if err != nil {
			return nil, err
		}
		return resp.AppendJSON(nil), nil
	}}
}

// builtins lists the services below /rosapi.
func (b *Broker) builtins() map[string]ownService {
	m := map[string]ownService{}
	b.addTopicServices(m)
	b.addServiceServices(m)
	b.addTypeServices(m)
	b.addNodeServices(m)
	b.addParamServices(m)
	return m
}

func (b *Broker) addTopicServices(m map[string]ownService) {
	m["/rosapi/topics"] = ask(b, rosapi.TopicsService, func(p *peer, _ *rosapi.TopicsRequest) (idl.Message, error) {
		var r rosapi.TopicsResponse
		for _, t := range b.graph(p.dialect).topics {
			r.Topics, r.Types = append(r.Topics, t.name), append(r.Types, p.dialect.spelled(t.typ, "msg"))
		}
		return &r, nil
	})
	m["/rosapi/topics_and_raw_types"] = ask(b, rosapi.TopicsAndRawTypesService, func(p *peer, _ *rosapi.TopicsAndRawTypesRequest) (idl.Message, error) {
		var r rosapi.TopicsAndRawTypesResponse
		for _, t := range b.graph(p.dialect).topics {
			r.Topics, r.Types = append(r.Topics, t.name), append(r.Types, p.dialect.spelled(t.typ, "msg"))
			r.TypedefsFullText = append(r.TypedefsFullText, b.types.definition(t.typ, p.dialect))
		}
		return &r, nil
	})
	m["/rosapi/topics_for_type"] = ask(b, rosapi.TopicsForTypeService, func(p *peer, req *rosapi.TopicsForTypeRequest) (idl.Message, error) {
		var r rosapi.TopicsForTypeResponse
		for _, t := range b.graph(p.dialect).topics {
			if t.typ == canonical(req.Type_) {
				r.Topics = append(r.Topics, t.name)
			}
		}
		return &r, nil
	})
	m["/rosapi/topic_type"] = ask(b, rosapi.TopicTypeService, func(p *peer, req *rosapi.TopicTypeRequest) (idl.Message, error) {
		t := b.graph(p.dialect).topic(resolve(req.Topic))
		return &rosapi.TopicTypeResponse{Type_: p.dialect.spelled(t.typ, "msg")}, nil
	})
	m["/rosapi/publishers"] = ask(b, rosapi.PublishersService, func(p *peer, req *rosapi.PublishersRequest) (idl.Message, error) {
		return &rosapi.PublishersResponse{Publishers: b.graph(p.dialect).topic(resolve(req.Topic)).publishers}, nil
	})
	m["/rosapi/subscribers"] = ask(b, rosapi.SubscribersService, func(p *peer, req *rosapi.SubscribersRequest) (idl.Message, error) {
		return &rosapi.SubscribersResponse{Subscribers: b.graph(p.dialect).topic(resolve(req.Topic)).subscribers}, nil
	})
}

func (b *Broker) addServiceServices(m map[string]ownService) {
	m["/rosapi/services"] = ask(b, rosapi.ServicesService, func(p *peer, _ *rosapi.ServicesRequest) (idl.Message, error) {
		var r rosapi.ServicesResponse
		for _, s := range b.graph(p.dialect).services {
			r.Services = append(r.Services, s.name)
		}
		return &r, nil
	})
	m["/rosapi/services_for_type"] = ask(b, rosapi.ServicesForTypeService, func(p *peer, req *rosapi.ServicesForTypeRequest) (idl.Message, error) {
		var r rosapi.ServicesForTypeResponse
		for _, s := range b.graph(p.dialect).services {
			if s.typ == canonical(req.Type_) {
				r.Services = append(r.Services, s.name)
			}
		}
		return &r, nil
	})
	m["/rosapi/service_type"] = ask(b, rosapi.ServiceTypeService, func(p *peer, req *rosapi.ServiceTypeRequest) (idl.Message, error) {
		s := b.graph(p.dialect).service(resolve(req.Service))
		return &rosapi.ServiceTypeResponse{Type_: p.dialect.spelled(s.typ, "srv")}, nil
	})
	m["/rosapi/service_node"] = ask(b, rosapi.ServiceNodeService, func(p *peer, req *rosapi.ServiceNodeRequest) (idl.Message, error) {
		return &rosapi.ServiceNodeResponse{Node: b.graph(p.dialect).service(resolve(req.Service)).node}, nil
	})
	m["/rosapi/service_providers"] = ask(b, rosapi.ServiceProvidersService, func(p *peer, req *rosapi.ServiceProvidersRequest) (idl.Message, error) {
		var r rosapi.ServiceProvidersResponse
		if s := b.graph(p.dialect).service(resolve(req.Service)); s.node != "" {
			r.Providers = []string{s.node}
		}
		return &r, nil
	})
	m["/rosapi/service_host"] = ask(b, rosapi.ServiceHostService, func(p *peer, req *rosapi.ServiceHostRequest) (idl.Message, error) {
		if s := b.graph(p.dialect).service(resolve(req.Service)); s.node == "" {
			return nil, fmt.Errorf("service %s does not exist", resolve(req.Service))
		}
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("name of this host: %w", err)
		}
		return &rosapi.ServiceHostResponse{Host: host}, nil
	})
	m["/rosapi/action_servers"] = ask(b, rosapi.GetActionServersService, func(p *peer, _ *rosapi.GetActionServersRequest) (idl.Message, error) {
		var r rosapi.GetActionServersResponse
		for _, a := range b.graph(p.dialect).actions {
			r.ActionServers = append(r.ActionServers, a.name)
		}
		return &r, nil
	})
	m["/rosapi/action_type"] = ask(b, rosapi.ActionTypeService, func(p *peer, req *rosapi.ActionTypeRequest) (idl.Message, error) {
		var r rosapi.ActionTypeResponse
		if a := b.action(resolve(req.Action)); a != nil {
			r.Type_ = p.dialect.spelled(a.typ, "action")
		}
		return &r, nil
	})
}

func (b *Broker) addNodeServices(m map[string]ownService) {
	m["/rosapi/nodes"] = ask(b, rosapi.NodesService, func(p *peer, _ *rosapi.NodesRequest) (idl.Message, error) {
		return &rosapi.NodesResponse{Nodes: b.graph(p.dialect).nodes}, nil
	})
	m["/rosapi/node_details"] = ask(b, rosapi.NodeDetailsService, func(p *peer, req *rosapi.NodeDetailsRequest) (idl.Message, error) {
		var r rosapi.NodeDetailsResponse
		g, node := b.graph(p.dialect), resolve(req.Node)
		for _, t := range g.topics {
			if slices.Contains(t.publishers, node) {
				r.Publishing = append(r.Publishing, t.name)
			}
			if slices.Contains(t.subscribers, node) {
				r.Subscribing = append(r.Subscribing, t.name)
			}
		}
		for _, s := range g.services {
			if s.node == node {
				r.Services = append(r.Services, s.name)
			}
		}
		return &r, nil
	})
	m["/rosapi/get_time"] = ask(b, rosapi.GetTimeService, func(*peer, *rosapi.GetTimeRequest) (idl.Message, error) {
		now := time.Now()
		return &rosapi.GetTimeResponse{Time: rostime.Time{Sec: int32(now.Unix()), Nanosec: uint32(now.Nanosecond())}}, nil
	})
	version := ask(b, rosapi.GetROSVersionService, func(p *peer, _ *rosapi.GetROSVersionRequest) (idl.Message, error) {
		if p.dialect == ROS1 {
			return &rosapi.GetROSVersionResponse{Version: 1, Distro: "noetic"}, nil
		}
		return &rosapi.GetROSVersionResponse{Version: 2, Distro: "jazzy"}, nil
	})
	m["/rosapi/get_ros_version"] = version
}

func (b *Broker) addTypeServices(m map[string]ownService) {
	m["/rosapi/message_details"] = ask(b, rosapi.MessageDetailsService, func(p *peer, req *rosapi.MessageDetailsRequest) (idl.Message, error) {
		defs, err := b.typeDefs(req.Type_, p.dialect)
		return &rosapi.MessageDetailsResponse{Typedefs: defs}, err
	})
	section := func(typeName, suffix string, p *peer) ([]rosapi.TypeDef, error) {
		return b.typeDefs(canonical(typeName)+suffix, p.dialect)
	}
	m["/rosapi/service_request_details"] = ask(b, rosapi.ServiceRequestDetailsService, func(p *peer, req *rosapi.ServiceRequestDetailsRequest) (idl.Message, error) {
		defs, err := section(req.Type_, "_Request", p)
		return &rosapi.ServiceRequestDetailsResponse{Typedefs: defs}, err
	})
	m["/rosapi/service_response_details"] = ask(b, rosapi.ServiceResponseDetailsService, func(p *peer, req *rosapi.ServiceResponseDetailsRequest) (idl.Message, error) {
		defs, err := section(req.Type_, "_Response", p)
		return &rosapi.ServiceResponseDetailsResponse{Typedefs: defs}, err
	})
	m["/rosapi/action_goal_details"] = ask(b, rosapi.ActionGoalDetailsService, func(p *peer, req *rosapi.ActionGoalDetailsRequest) (idl.Message, error) {
		defs, err := section(req.Type_, "_Goal", p)
		return &rosapi.ActionGoalDetailsResponse{Typedefs: defs}, err
	})
	m["/rosapi/action_result_details"] = ask(b, rosapi.ActionResultDetailsService, func(p *peer, req *rosapi.ActionResultDetailsRequest) (idl.Message, error) {
		defs, err := section(req.Type_, "_Result", p)
		return &rosapi.ActionResultDetailsResponse{Typedefs: defs}, err
	})
	m["/rosapi/action_feedback_details"] = ask(b, rosapi.ActionFeedbackDetailsService, func(p *peer, req *rosapi.ActionFeedbackDetailsRequest) (idl.Message, error) {
		defs, err := section(req.Type_, "_Feedback", p)
		return &rosapi.ActionFeedbackDetailsResponse{Typedefs: defs}, err
	})
	m["/rosapi/interfaces"] = ask(b, rosapi.InterfacesService, func(*peer, *rosapi.InterfacesRequest) (idl.Message, error) {
		var r rosapi.InterfacesResponse
		for _, t := range msg.All() {
			if t.Kind == "msg" {
				r.Interfaces = append(r.Interfaces, t.ROS2Name())
			}
		}
		for _, s := range msg.AllServices() {
			r.Interfaces = append(r.Interfaces, s.ROS2Name())
		}
		for _, a := range msg.AllActions() {
			r.Interfaces = append(r.Interfaces, a.ROS2Name())
		}
		slices.Sort(r.Interfaces)
		return &r, nil
	})
}

var errNoType = errors.New("the type is not known here")
