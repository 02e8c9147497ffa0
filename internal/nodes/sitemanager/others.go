package sitemanager

import (
	"errors"
	"path"
	"slices"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/stdsrvs"
)

// others are the services of other nodes that this one calls.
type others struct {
	start  *bus.Caller[dharma.StartMappingRequest, dharma.StartMappingResponse]
	stop   *trigger
	save   *bus.Caller[dharma.LoadSiteRequest, dharma.LoadSiteResponse]
	reset  *trigger
	origin *trigger
	tags   *bus.Caller[dharma.LoadFileRequest, dharma.LoadFileResponse]
}

func newOthers(c *node.Context) others {
	return others{
		start:  bus.NewCaller(c, topics.StartGrid),
		stop:   bus.NewCaller(c, topics.StopGrid),
		save:   bus.NewCaller(c, topics.SaveGrid),
		reset:  bus.NewCaller(c, topics.ResetLocalization),
		origin: bus.NewCaller(c, topics.AssumeOrigin),
		tags:   bus.NewCaller(c, topics.LoadTags),
	}
}

// trigger calls a service without arguments; what it refuses is an error too.
func (others) trigger(c *trigger, timeout time.Duration, done func(error)) {
	c.Call(stdsrvs.TriggerRequest{}, timeout, func(r stdsrvs.TriggerResponse, err error) { done(verdict(r.Success, r.Message, err)) })
}

// verdict makes an error of a refusal.
func verdict(ok bool, message string, err error) error {
	if err == nil && !ok {
		return errors.New(message)
	}
	return err
}

// tagsTold are the tags that localization has loaded.
type tagsTold struct{ frames []string }

// tellTags has localization load the tags of the active site, unless it has. note says what became of it.
func (n *Node) tellTags(done func(note string)) {
	frames := n.overview.Tags
	if n.site == nil || n.told != nil && slices.Equal(n.told.frames, frames) {
		done("")
		return
	}
	if !n.others.tags.Ready() {
		done("localization_node is not running")
		return
	}
	told := &tagsTold{frames}
	n.told = told
	n.others.tags.Call(dharma.LoadFileRequest{File: path.Join(n.site.Name, "tags.json")}, callTimeout,
		func(r dharma.LoadFileResponse, err error) {
			if err = verdict(r.Success, r.Message, err); err == nil {
				done("")
				return
			}
			if n.told == told && bus.CodeOf(err) != 0 {
				n.told = nil // it gave no answer: the next refresh asks again
			}
			done("localization has no tags: " + err.Error())
		})
}
