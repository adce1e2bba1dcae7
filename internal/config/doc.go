// Package config is the one configuration of every role: defaults, then a YAML file, then the environment, then
// flags, each laid over the one before.
//
// A key such as read.mode is SILTSTONE_READ_MODE in the environment and --read-mode as a flag. A key that does not
// exist is refused, naming the nearest one that does; values are checked together and every fault is named.
package config
