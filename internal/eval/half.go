package eval

import "math/rand/v2"

// Half is the users with those of their questions that belong to one half: that to tune on, or else the one to report.
// Users go by turns, since the questions about one memory are not independent; where there is one user alone its
// questions do. Seed 0 takes them as they stand, any other in an order drawn from it: another split. Both halves of one
// seed share no question.
func Half(users []User, tune bool, seed uint64) []User {
	place := func(n int) []int { // of each in the order drawn
		if seed != 0 {
			return rand.New(rand.NewPCG(seed, uint64(n))).Perm(n)
		}
		at := make([]int, n)
		for i := range at {
			at[i] = i
		}
		return at
	}
	mine := func(i int) bool { return (i%2 == 0) == tune }
	user := place(len(users))
	out := make([]User, len(users))
	for i, u := range users {
		all, question := u.Queries, place(len(u.Queries))
		u.Queries = nil
		for k, q := range all {
			if len(users) > 1 && mine(user[i]) || len(users) == 1 && mine(question[k]) {
				u.Queries = append(u.Queries, q)
			}
		}
		out[i] = u
	}
	return out
}
