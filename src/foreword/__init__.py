"""foreword: how well does a language model foresee science it has not read?"""
