package PACKAGE

import "time"

func init() {
	time.AfterFunc(WALL_MS*time.Millisecond, func() { panic("the tests took too long") })
}
