package doctor

// Status says how one thing is.
type Status string

// What a check can find.
const (
	OK      Status = "ok"
	Missing Status = "missing" // the robot runs, with a feature less
	Broken  Status = "broken"  // the robot does not run, or not as it should
)

// Result is what one check found.
type Result struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`           // what was found; for what is missing, what does not work without it
	Remedy string `json:"remedy,omitempty"` // what to do, unless all is well
}

// Healthy reports whether nothing is broken.
func Healthy(results []Result) bool {
	for _, r := range results {
		if r.Status == Broken {
			return false
		}
	}
	return true
}

func ok(name, detail string) Result { return Result{Name: name, Status: OK, Detail: detail} }

func missing(name, detail, remedy string) Result {
	return Result{Name: name, Status: Missing, Detail: detail, Remedy: remedy}
}

func broken(name, detail, remedy string) Result {
	return Result{Name: name, Status: Broken, Detail: detail, Remedy: remedy}
}
