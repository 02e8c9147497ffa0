package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sarathi/internal/idl"
	"sarathi/msg/rosapi"
)

// getParamRequest has the default value under the names of both ROS generations.
const defaultROS1 = "default"

func (b *Broker) addParamServices(m map[string]ownService) {
	slow := func(name string, s ownService) {
		s.slow = true
		m["/rosapi/"+name] = s
	}
	get := ask(b, rosapi.GetParamService, b.getParam)
	typed := get.serve
	get.serve = func(p *peer, name string, args []byte) ([]byte, error) {
		return typed(p, name, renameMember(args, defaultROS1, "default_value"))
	}
	slow("get_param", get)
	slow("set_param", ask(b, rosapi.SetParamService, b.setParam))
	slow("has_param", ask(b, rosapi.HasParamService, func(_ *peer, req *rosapi.HasParamRequest) (idl.Message, error) {
		_, ok := b.param(paramName(req.Name))
		return &rosapi.HasParamResponse{Exists: ok}, nil
	}))
	slow("search_param", ask(b, rosapi.SearchParamService, func(p *peer, req *rosapi.SearchParamRequest) (idl.Message, error) {
		exists := func(name string) bool { _, ok := b.param(name); return ok }
		return &rosapi.SearchParamResponse{GlobalName: search(p.nodeName(), req.Name, exists)}, nil
	}))
	slow("delete_param", ask(b, rosapi.DeleteParamService, b.deleteParam))
	slow("get_param_names", ask(b, rosapi.GetParamNamesService, func(*peer, *rosapi.GetParamNamesRequest) (idl.Message, error) {
		names := b.params.names()
		if b.cfg.Params != nil {
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			names = append(names, b.cfg.Params.Names(ctx)...)
		}
		slices.Sort(names)
		names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return !allowed(b.cfg.Access.ReadParams, n) })
		return &rosapi.GetParamNamesResponse{Names: names}, nil
	}))
}

// paramName returns the absolute name of a parameter.
func paramName(name string) string {
	if r := resolve(name); r != "" {
		return r
	}
	return name
}

// param reads a parameter at its owner, or in the broker's store, if clients may read it.
func (b *Broker) param(name string) (value []byte, ok bool) {
	if !allowed(b.cfg.Access.ReadParams, name) {
		return nil, false
	}
	if b.cfg.Params != nil {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		if value, ok = b.cfg.Params.Get(ctx, name); ok {
			return value, true
		}
	}
	return b.params.get(name)
}

func (b *Broker) getParam(_ *peer, req *rosapi.GetParamRequest) (idl.Message, error) {
	value, ok := b.param(paramName(req.Name))
	switch {
	case ok:
		return &rosapi.GetParamResponse{Value: string(value), Successful: true}, nil
	case req.DefaultValue != "":
		return &rosapi.GetParamResponse{Value: req.DefaultValue, Successful: true}, nil
	}
	// As in rosbridge_suite, a parameter that is not set reads as null without a fault of the call.
	return &rosapi.GetParamResponse{Value: "null", Successful: true}, nil
}

func (b *Broker) setParam(_ *peer, req *rosapi.SetParamRequest) (idl.Message, error) {
	name := paramName(req.Name)
	err := b.writeParam(name, []byte(req.Value))
	if err != nil {
		return nil, fmt.Errorf("set parameter %.80s: %w", name, err)
	}
	return &rosapi.SetParamResponse{Successful: true}, nil
}

func (b *Broker) writeParam(name string, value []byte) error {
	if err := b.mayWrite(name); err != nil {
		return err
	}
	s := scanner{src: value}
	if s.value(); s.peek() != 0 || s.err != nil || s.pos < len(value) || s.nonFinite != nil {
		return errors.New("the value is not JSON")
	}
	if b.cfg.Params != nil {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		if ok, err := b.cfg.Params.Set(ctx, name, value); ok || err != nil {
			return err
		}
	}
	return b.params.set(name, value)
}

func (b *Broker) mayWrite(name string) error {
	if resolve(name) == "" || len(name) > maxName {
		return errors.New("bad name")
	}
	if !allowed(b.cfg.Access.WriteParams, name) {
		return errors.New("clients may not write it")
	}
	return nil
}

func (b *Broker) deleteParam(_ *peer, req *rosapi.DeleteParamRequest) (idl.Message, error) {
	name := paramName(req.Name)
	if err := b.mayWrite(name); err != nil {
		return nil, fmt.Errorf("delete parameter %.80s: %w", name, err)
	}
	if !b.params.remove(name) {
		if _, ok := b.param(name); ok {
			return nil, fmt.Errorf("delete parameter %.80s: it belongs to a node", name)
		}
	}
	return &rosapi.DeleteParamResponse{Successful: true}, nil
}

// renameMember returns the JSON object text with one member under another name; text that is no object stays.
func renameMember(text []byte, from, to string) []byte {
	s := scanner{src: text}
	if !s.take('{') {
		return text
	}
	for first := true; s.err == nil && !s.take('}'); first = false {
		if !first {
			s.take(',')
		}
		s.peek()
		start := s.pos
		key := s.key()
		if s.err == nil && string(plainKey(key)) == from {
			out := append([]byte{}, text[:start]...)
			out = appendString(out, to)
			return append(out, text[start+len(key):]...)
		}
		s.value()
	}
	return text
}
