package minilm

import (
	"math"
	"sync"
)

const (
	geluLimit = 6   // beyond it GELU equals x or 0 within float32 precision, nearly
	geluSteps = 512 // table entries per unit: the error of interpolation is less than 4e-7
)

// geluTable has GELU(x) = x/2 · (1 + erf(x/√2)) from -geluLimit to geluLimit. The
// model was trained with this form.
var geluTable = sync.OnceValue(func() *[2*geluLimit*geluSteps + 2]float32 {
	var t [2*geluLimit*geluSteps + 2]float32
	for i := range t {
		x := float64(i)/geluSteps - geluLimit
		t[i] = float32(x / 2 * (1 + math.Erf(x/math.Sqrt2)))
	}
	return &t
})

func gelu(xs []float32) {
	table := geluTable()
	for i, x := range xs {
		switch {
		case x >= geluLimit:
		case !(x > -geluLimit): // also true for NaN
			xs[i] = 0
		default:
			at := (x + geluLimit) * geluSteps
			n := int(at)
			low := table[n]
			xs[i] = low + (table[n+1]-low)*(at-float32(n))
		}
	}
}

// softmax scales the scores and turns them into weights with the sum 1, in place.
func softmax(scores []float32, scale float32) {
	top := scores[0]
	for _, s := range scores {
		top = max(top, s)
	}
	var sum float32
	for i, s := range scores {
		e := exp((s - top) * scale)
		scores[i] = e
		sum += e
	}
	inverse := 1 / sum
	for i := range scores {
		scores[i] *= inverse
	}
}

// exp returns e^x for x ≤ 0 with a relative error of less than 2e-7. math.Exp with
// double precision would take a fifth of the forward pass.
func exp(x float32) float32 {
	const (
		log2e  = 1.44269504
		ln2Hi  = 0.693359375
		ln2Lo  = -2.12194440e-4
		lowest = -87
	)
	if !(x > lowest) {
		return 0
	}
	n := int32(x*log2e - 0.5)
	f := float32(n)
	r := x - f*ln2Hi - f*ln2Lo
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	return (p*r*r + r + 1) * math.Float32frombits(uint32(n+127)<<23)
}

// layerNorm stores in x: x + y normalized to mean 0 and variance 1, then scaled and
// shifted.
func layerNorm(x, y, weight, bias []float32) {
	y, weight, bias = y[:len(x)], weight[:len(x)], bias[:len(x)]
	var sum float64
	for i := range x {
		x[i] += y[i]
		sum += float64(x[i])
	}
	mean := sum / float64(len(x))
	var squares float64
	for _, v := range x {
		d := float64(v) - mean
		squares += d * d
	}
	const epsilon = 1e-12
	inverse := float32(1 / math.Sqrt(squares/float64(len(x))+epsilon))
	m := float32(mean)
	for i, v := range x {
		x[i] = (v-m)*inverse*weight[i] + bias[i]
	}
}

// normalize scales v to length 1. A zero vector stays as it is.
func normalize(v []float32) {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 {
		return
	}
	inverse := float32(1 / math.Sqrt(squares))
	for i := range v {
		v[i] *= inverse
	}
}
