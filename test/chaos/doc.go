// Package chaos kills Siltstone at named moments while turns flow, and then looks whether anything was lost or doubled.
// Its tests are built with the tag "chaos", which compiles the moments in (internal/crash): make chaos, and a short run of it in
// make test.
package chaos
