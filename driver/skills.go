package driver

// Skills that mean the same on every body that has them. A body may have others; their names are identifiers.
const (
	SkillStandUp       = "stand_up"
	SkillSitDown       = "sit_down"
	SkillEmergencyStop = "emergency_stop" // EStop under another name: accepted at any time, and it latches
	SkillMoveMode      = "move_mode"      // a gait for walking
	SkillBalanceStand  = "balance_stand_mode"
	SkillLock          = "lock_mode" // joints locked, the body does not move
	SkillSlow          = "slow_speed"
	SkillNormal        = "normal_speed"
	SkillFast          = "fast_speed"
	SkillSetJoints     = "setJoints" // the only one of these that needs SkillArgs
)
