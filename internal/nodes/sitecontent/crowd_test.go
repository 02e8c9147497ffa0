package sitecontent_test

import (
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/molly"
)

// crowd is a node that saves 60 POIs at the same instant.
type crowd struct{ saved, refused int }

func (c *crowd) Setup(ctx *node.Context) error {
	caller := bus.NewCaller(ctx, topics.SavePoi)
	ctx.After(0, func(time.Time) {
		for range 60 {
			caller.Call(molly.SavePoiRequest{Poi: molly.Poi{Name: "Crowd"}}, 5*time.Second, func(r molly.SavePoiResponse, err error) {
				if err == nil && r.Success {
					c.saved++
				} else {
					c.refused++
				}
			})
		}
	})
	return nil
}
