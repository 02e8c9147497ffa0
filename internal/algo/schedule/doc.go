// Package schedule decides when a robot begins and ends its patrols by the time of day.
//
// An [Entry] names a route, days, and a window of civil time. A [Keeper] is told the time and how navigation does, and answers what to do:
//
//	                 window opens        nothing hinders     loaded and started
//	idle ──────────────────────► waiting ───────────► starting ──────────► running
//	  ▲                             │ hindered            │ refused            │ window over
//	  │◄──────── skipped ───────────┴─────────────────────┘                    ▼
//	  │◄─────────────────────────────────── stopping ◄──────────────────── finishing
//	  └◄─ ended: cancelled, failed, arrived ───────────────────────────────────┘ lap walked, time up, or held by a person
//
// # Civil time
//
// A time that a day does not have, because the clock is put forward over it, is the first instant after the gap. A time that a day has
// twice is the first of them. A window whose end is not after its start in the day's clock ends on the next day; one that lies wholly in
// a gap does not exist that day.
//
// # What is safe
//
// Whether a run begins is decided once, when its window opens. An entry with [LateStart] joins later, and waits for what comes by itself
// (such as the localization), but never after a person has taken over. Of two that overlap the running one stays. A run that somebody
// ended stays ended until the next start. A clock that jumps starts nothing twice.
package schedule
