package sitecontent

import (
	"slices"

	"sarathi/internal/site"
	"sarathi/msg/molly"
)

func poiOf(m *molly.Poi) site.POI {
	return site.POI{
		ID: m.ID, Name: m.Name, Description: m.Description, X: m.X, Y: m.Y, Yaw: m.Yaw,
		Narration: m.Narration, Language: m.Language, Gesture: m.Gesture, Dwell: m.DwellSec,
	}
}

func poi(p *site.POI) molly.Poi {
	return molly.Poi{
		ID: p.ID, Name: p.Name, Description: p.Description, X: p.X, Y: p.Y, Yaw: p.Yaw,
		Narration: p.Narration, Language: p.Language, Gesture: p.Gesture, DwellSec: p.Dwell,
	}
}

func tourOf(m *molly.Tour) site.Tour {
	return site.Tour{ID: m.ID, Name: m.Name, Description: m.Description, POIIDs: slices.Clone(m.PoiIds), ReturnPOIID: m.ReturnPoiID}
}

func tour(t *site.Tour) molly.Tour {
	ids := append([]string{}, t.POIIDs...)
	return molly.Tour{ID: t.ID, Name: t.Name, Description: t.Description, PoiIds: ids, ReturnPoiID: t.ReturnPOIID}
}
