package main

import "context"

func benchChain(context.Context, options) ([]figure, error) { return nil, nil }
