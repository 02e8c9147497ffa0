// Package wire holds the primitives that generated message code is made of.
//
//   - Binary: functions that append a value to a slice in a [Layout] (CDR, as ROS 2 uses, or ROS 1) and [Reader], which
//     takes the values back out. The layouts share their primitives: they differ in alignment and in how strings end.
//   - JSON: functions that append rosbridge JSON, and [JSONReader], a scanner that fills structs without an
//     intermediate tree and names the field of every fault.
//
// Appending cannot fail and allocates only when the slice has to grow. Reading never panics, never allocates for a length
// that the rest of the input cannot fill, and keeps the first error: callers check once, at the end.
//
// Sources: OMG CORBA 3.3 section 9.3 (CDR) and DDS-XTypes 1.3 section 7.4.1 (XCDR1); the ROS 1 wiki page
// "Message serialization format"; RFC 8259 (JSON); RFC 4648 (base64); rosbridge_suite message_conversion.py.
package wire
