// Package doctor looks at a computer the way somebody does who is called because the robot does not work: what it has, what it lacks
// and which feature that costs, what is broken, and how to put it right. It changes nothing.
package doctor
